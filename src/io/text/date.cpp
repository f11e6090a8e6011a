#include "muster/io/text/date.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace muster {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads exactly `digits` digits off the front of `text`; -1 if they are not there.
int take(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool skip(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// The fraction behind the point, in ns; further digits are dropped. -1 if there are none.
std::int64_t take_fraction(std::string_view& text) {
  std::int64_t ns = 0;
  std::int64_t place = 100'000'000;
  std::size_t digits = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
    ns += place * (text.front() - '0');
    place /= 10;
  }
  return digits == 0 ? -1 : ns;
}

/// Seconds of the day and ns; false if it is not a time of day.
bool take_time(std::string_view& text, std::int64_t& seconds, std::int64_t& ns) {
  const int hour = take(text, 2);
  if (hour < 0 || hour > 23 || !skip(text, ':')) return false;
  const int minute = take(text, 2);
  if (minute < 0 || minute > 59) return false;
  int second = 0;
  if (skip(text, ':')) {
    second = take(text, 2);
    if (second < 0 || second > 59) return false;
    if (skip(text, '.')) ns = take_fraction(text);
  }
  seconds = hour * 3600 + minute * 60 + second;
  return ns >= 0;
}

}  // namespace

std::optional<std::int32_t> parse_offset(std::string_view text) {
  if (text.size() < 3 || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const int hours = take(text, 2);
  if (hours < 0 || hours > 15) return std::nullopt;
  int minutes = 0;
  if (!text.empty()) {
    skip(text, ':');
    minutes = take(text, 2);
    if (minutes < 0 || minutes > 59 || !text.empty()) return std::nullopt;
  }
  return sign * (hours * 3600 + minutes * 60);
}

std::optional<WrittenDate> parse_date(std::string_view text) {
  using namespace std::chrono;
  const int y = take(text, 4);
  if (y < 1970 || y > 2200 || !skip(text, '-')) return std::nullopt;
  const int m = take(text, 2);
  if (m < 0 || !skip(text, '-')) return std::nullopt;
  const int d = take(text, 2);
  if (d < 0) return std::nullopt;
  const year_month_day date{year{y}, month{static_cast<unsigned>(m)},
                            day{static_cast<unsigned>(d)}};
  if (!date.ok() || (!skip(text, 'T') && !skip(text, ' '))) return std::nullopt;
  std::int64_t of_day = 0;
  std::int64_t ns = 0;
  if (!take_time(text, of_day, ns)) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  WrittenDate written{(days * 86400 + of_day) * 1'000'000'000 + ns, std::nullopt};
  if (text.empty()) return written;
  skip(text, ' ');
  if (text == "Z" || text == "UTC") {
    written.offset_s = 0;
    return written;
  }
  written.offset_s = parse_offset(text);
  if (!written.offset_s) return std::nullopt;
  return written;
}

std::string date_text(std::int64_t local_seconds) {
  using namespace std::chrono;
  const sys_seconds at{seconds{local_seconds}};
  const sys_days midnight = floor<days>(at);
  const year_month_day date{midnight};
  const hh_mm_ss time{at - midnight};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d:%02d",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return text.data();
}

}  // namespace muster
