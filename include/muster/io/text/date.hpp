#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

/// A date and time of day as written: nanoseconds since 1970-01-01 00:00 on the clock it was read
/// from, and how far that clock is ahead of UTC, if it says.
struct WrittenDate {
  std::int64_t local_ns = 0;
  std::optional<std::int32_t> offset_s;  // +08:00 -> 28800; unset: a wall time without a zone
};

/// ISO 8601 and its relatives: "2023-03-01T00:18:22Z", "2023-03-01 00:18:22+08:00", "... 00:18",
/// fractions of a second, offsets as +08:00, +0800, +08. Years 1970 to 2200. Nothing else.
std::optional<WrittenDate> parse_date(std::string_view text);

/// "2023-03-01 00:18:22" of seconds since 1970 on the same clock, for messages.
std::string date_text(std::int64_t local_seconds);

/// An offset alone: "+08:00", "-0330", "+09".
std::optional<std::int32_t> parse_offset(std::string_view text);

}  // namespace muster
