#include "io/config/duration_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "muster/core/int128.hpp"

namespace muster {
namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 7> kUnits{{
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"min", 60'000'000'000},
    {"h", 3'600'000'000'000},
    {"d", 86'400'000'000'000},
}};

bool digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number as digits * 10^exponent.
struct Decimal {
  Int128 digits = 0;
  int exponent = 0;
};

/// Takes a decimal number off the front of `text`; nothing if there is none, or one too long to be a
/// time (more than 30 digits).
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal value;
  int seen = 0;
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
    } else if (digit(text[at])) {
      if (++seen > 30) return {};
      value.digits = value.digits * 10 + (text[at] - '0');
      value.exponent -= point ? 1 : 0;
    } else {
      break;
    }
  }
  if (seen == 0) return {};
  // An exponent, as doubles are printed: 1e-09, 2.5e+10.
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t next = at + 1;
    const bool minus = next < text.size() && text[next] == '-';
    if (next < text.size() && (text[next] == '-' || text[next] == '+')) ++next;
    int exponent = 0;
    const std::size_t first = next;
    for (; next < text.size() && next < first + 3 && digit(text[next]); ++next)
      exponent = exponent * 10 + (text[next] - '0');
    if (next > first) {
      value.exponent += minus ? -exponent : exponent;
      at = next;
    }
  }
  text.remove_prefix(at);
  return value;
}

}  // namespace

std::optional<Duration> time_from_text(std::string_view text) {
  std::optional<Decimal> number = take_decimal(text);
  if (!number) return {};
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text.empty()) text = "s";
  const auto* const unit =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& u) { return u.first == text; });
  if (unit == kUnits.end()) return {};

  Int128 ns = number->digits * unit->second;  // at most 10^30 * 10^14: overflows only when absurd
  if (number->digits > Int128{10'000'000'000'000} * 1'000'000'000) return {};
  int exponent = number->exponent;
  for (; exponent > 0 && ns != 0; --exponent) {
    ns *= 10;
    if (ns > kLongest.count()) return {};
  }
  for (; exponent < 0 && ns != 0; ++exponent) {
    if (ns % 10 != 0) return {};
    ns /= 10;
  }
  if (ns > kLongest.count()) return {};
  return Duration{static_cast<std::int64_t>(ns)};
}

std::string duration_text(Duration d) {
  if (d == kUnlimited) return "unlimited";
  return to_decimal(d.count(), 9) + "s";
}

}  // namespace muster
