#include "muster/io/text/time_zone.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "io/text/zone_file.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/date.hpp"

namespace muster {
namespace {

std::filesystem::path database() {
  const char* elsewhere = std::getenv("TZDIR");
  return elsewhere != nullptr ? elsewhere : "/usr/share/zoneinfo";
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  const std::filesystem::path root = database();
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(root, error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().lexically_relative(root).string();
    if (name.starts_with("posix") || name.starts_with("right") || at->is_directory(error)) continue;
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

[[noreturn]] void refuse(std::string_view name, const std::string& where) {
  const std::vector<std::string> names = all_names();
  std::string advice = "use an IANA name such as Europe/Berlin, or an offset such as +01:00";
  if (names.empty())
    advice = "there is no time zone database in " + database().string() +
             ": install tzdata, or use an offset such as +01:00";
  else if (const std::string best = nearest(name, names); !best.empty())
    advice = "did you mean \"" + best + "\"?  " + advice;
  throw InputError(where, "there is no time zone \"" + std::string{name} + "\"", advice);
}

// A name that stays inside the database.
bool is_plain(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find("..") != std::string_view::npos)
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  });
}

}  // namespace

TimeZone TimeZone::fixed(std::int32_t offset_s) {
  TimeZone zone;
  zone.first_offset_ = offset_s;
  const std::int32_t minutes = std::abs(offset_s) / 60;
  const std::string hours = std::to_string(100 + minutes / 60).substr(1);
  zone.name_ =
      (offset_s < 0 ? "-" : "+") + hours + ":" + std::to_string(100 + minutes % 60).substr(1);
  return zone;
}

TimeZone TimeZone::named(std::string_view name, const std::string& where) {
  if (name == "UTC" || name == "Z") {
    TimeZone utc;
    utc.name_ = "UTC";
    return utc;
  }
  if (const auto offset = parse_offset(name)) return fixed(*offset);
  TimeZone zone;
  zone.name_ = name;
  std::error_code ignored;
  const std::filesystem::path file = database() / name;
  if (!is_plain(name) || !std::filesystem::is_regular_file(file, ignored)) refuse(name, where);
  std::ifstream in(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>{in}, {}};
  if (!ZoneFile::read(content, zone)) refuse(name, where);
  return zone;
}

std::int32_t TimeZone::offset(std::int64_t unix_s) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), unix_s,
                       [](std::int64_t t, const Change& change) { return t < change.unix_s; });
  return after == changes_.begin() ? first_offset_ : std::prev(after)->offset_s;
}

TimeZone::Instant TimeZone::at(std::int64_t local_s) const {
  // Offsets are under a day, so those a day before and after are the ones in force on both sides
  // of any change that can matter (changes are months apart).
  const std::int64_t before = local_s - offset(local_s - 86400);
  const std::int64_t behind = local_s - offset(local_s + 86400);
  const bool before_holds = before + offset(before) == local_s;
  const bool behind_holds = behind + offset(behind) == local_s;
  if (before_holds && behind_holds && before != behind)
    return {std::min(before, behind), Instant::Kind::doubled};
  if (before_holds) return {before, Instant::Kind::once};
  if (behind_holds) return {behind, Instant::Kind::once};
  return {before, Instant::Kind::skipped};
}

}  // namespace muster
