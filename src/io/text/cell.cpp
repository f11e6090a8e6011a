#include "muster/io/text/cell.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "muster/io/text/lines.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

[[noreturn]] void refuse(Cell cell, std::string expected) {
  throw RowError{std::string{cell.column}, std::move(expected), std::string{cell.text}};
}

Duration in_range(Cell cell, std::optional<Duration> time, const char* expected) {
  if (!time || *time < Duration{} || *time > kLongest) refuse(cell, expected);
  return *time;
}

std::string unit_name(Duration unit) {
  if (unit == std::chrono::hours{1}) return "hours";
  if (unit == std::chrono::minutes{1}) return "minutes";
  if (unit == std::chrono::milliseconds{1}) return "milliseconds";
  return "seconds";
}

}  // namespace

std::int64_t whole(Cell cell, std::int64_t least, std::int64_t most) {
  const auto value = parse_whole(cell.text);
  if (!value || *value < least || *value > most)
    refuse(cell, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

std::uint32_t gpu_count(Cell cell) { return static_cast<std::uint32_t>(whole(cell, 0, kMostGpus)); }

Duration time_in(Cell cell, Duration unit) {
  const auto time = parse_duration(cell.text, unit);
  if (!time || *time < Duration{} || *time > kLongest)
    refuse(cell, "a number of " + unit_name(unit) + ", from 0 to 100 years");
  return *time;
}

Duration time_span(Cell cell) {
  return in_range(cell, parse_time_span(cell.text),
                  "a time from 0 to 100 years, in seconds or with a unit (90s, 15min, 2h, 3d)");
}

float amount(Cell cell) {
  const auto value = parse_real(cell.text);
  if (!value || *value < 0 || *value > 1e18) refuse(cell, "a number, 0 or more");
  return static_cast<float>(*value);
}

std::int64_t whole_or(Cell cell, std::int64_t least, std::int64_t most, std::int64_t otherwise) {
  return cell.empty() ? otherwise : whole(cell, least, most);
}

Duration time_in_or(Cell cell, Duration otherwise, Duration unit) {
  return cell.empty() ? otherwise : time_in(cell, unit);
}

Duration time_span_or(Cell cell, Duration otherwise) {
  return cell.empty() ? otherwise : time_span(cell);
}

float amount_or(Cell cell, float otherwise) { return cell.empty() ? otherwise : amount(cell); }

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  const bool printable = is_utf8(text);
  std::string shown = "\"";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && (byte < 0x80 || (printable && text.size() <= kShown))) {
      shown += c;
    } else {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", byte);
      shown += code.data();
    }
  }
  return shown + (text.size() > kShown ? "...\"" : "\"");
}

}  // namespace muster
