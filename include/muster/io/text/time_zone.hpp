#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// Turns wall times into instants: a fixed offset, or a zone of the system's time zone database
/// with all its clock changes.
class TimeZone {
 public:
  /// "UTC", "+08:00" or an IANA name such as "America/Los_Angeles". Throws InputError for others, with
  /// what messages call the place where the name stands.
  static TimeZone named(std::string_view name, const std::string& where = "--time-zone");
  static TimeZone fixed(std::int32_t offset_s);

  const std::string& name() const { return name_; }

  /// What a wall time means.
  struct Instant {
    std::int64_t unix_s = 0;
    enum class Kind : std::uint8_t {
      once,     // the usual case
      doubled,  // clocks were set back: it came twice; the first of the two is meant
      skipped,  // clocks were set forward: it never came; the old offset is kept
    } kind = Kind::once;
  };
  Instant at(std::int64_t local_s) const;

  /// Seconds ahead of UTC at an instant.
  std::int32_t offset(std::int64_t unix_s) const;

 private:
  friend class ZoneFile;
  struct Change {
    std::int64_t unix_s;
    std::int32_t offset_s;
  };
  std::string name_;
  std::int32_t first_offset_ = 0;  // before the first change
  std::vector<Change> changes_;    // in order
};

}  // namespace muster
