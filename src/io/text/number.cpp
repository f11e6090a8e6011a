#include "muster/io/text/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace muster {
namespace {

__extension__ using UInt128 = unsigned __int128;
constexpr UInt128 kTooLarge = UInt128{1} << 96;  // times a scale it still fits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number taken apart: (-1)^negative x digits x 10^exponent.
struct Decimal {
  UInt128 digits = 0;
  int exponent = 0;
  bool negative = false;
};

// Reads digits into `d`; those behind the point lower the exponent. Counts what it read.
std::size_t read_digits(std::string_view& text, Decimal& d, bool fraction) {
  std::size_t count = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++count) {
    if (fraction && count >= 18) continue;
    if (d.digits >= kTooLarge) return 0;
    d.digits = d.digits * 10 + static_cast<unsigned>(text.front() - '0');
    if (fraction) --d.exponent;
  }
  return count;
}

std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal d;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    d.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  std::size_t digits = read_digits(text, d, false);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    digits += read_digits(text, d, true);
  }
  if (digits == 0) return std::nullopt;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    if (text.size() > 1 && text.front() == '+' && is_digit(text[1])) text.remove_prefix(1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc{} || std::abs(exponent) > 1000) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    d.exponent += exponent;
  }
  if (!text.empty()) return std::nullopt;
  return d;
}

constexpr UInt128 kMost = UInt128{1} << 63;

std::optional<std::int64_t> with_sign(UInt128 magnitude, bool negative) {
  if (magnitude > kMost - (negative ? 0 : 1)) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(magnitude);
  return static_cast<std::int64_t>(negative ? 0 - bits : bits);
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_scaled(std::string_view text, std::int64_t scale) {
  const std::optional<Decimal> d = read_decimal(text);
  if (!d) return std::nullopt;
  if (d->digits == 0) return 0;
  if (d->digits >= kTooLarge) return std::nullopt;
  UInt128 value = d->digits;
  int exponent = d->exponent;
  // A scale of nanoseconds ends in zeros: it takes part of the exponent away without rounding.
  auto factor = static_cast<UInt128>(scale);
  for (; exponent < 0 && factor % 10 == 0; ++exponent) factor /= 10;
  for (; exponent > 0 && value < kTooLarge; --exponent) value *= 10;
  if (value >= kTooLarge || value > ~UInt128{0} / factor) return std::nullopt;
  value *= factor;
  UInt128 divisor = 1;
  for (; exponent < 0 && divisor < value; ++exponent) {
    if (divisor > ~UInt128{0} / 20) return 0;
    divisor *= 10;
  }
  if (exponent < 0) return 0;  // less than half of the last place
  return with_sign((value + divisor / 2) / divisor, d->negative);
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  if (const auto value = parse_integer(text)) return value;
  const auto thousandths = parse_scaled(text, 1000);
  if (!thousandths || *thousandths % 1000 != 0) return std::nullopt;
  return *thousandths / 1000;
}

std::optional<double> parse_real(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

namespace {

/// The times that nearly all traces have: up to nine digits, then up to nine decimals. Nothing if it
/// takes more care than that (which is not to say that it is wrong).
std::optional<Duration> parse_plain(std::string_view text, Duration unit) {
  std::int64_t value = 0;
  std::int64_t place = unit.count();  // of the last digit
  std::size_t at = 0;
  for (; at < text.size() && at < 10 && is_digit(text[at]); ++at)
    value = value * 10 + (text[at] - '0');
  if (at == 0 || at > 9) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    const std::size_t decimals = text.size() - at - 1;
    if (decimals > 9) return std::nullopt;
    for (++at; at < text.size() && is_digit(text[at]) && place % 10 == 0; ++at) {
      value = value * 10 + (text[at] - '0');
      place /= 10;
    }
  }
  if (at != text.size() || value > INT64_MAX / place) return std::nullopt;
  return Duration{value * place};
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text, Duration unit) {
  if (text.size() <= 19)
    if (const auto plain = parse_plain(text, unit)) return plain;
  const auto ns = parse_scaled(text, unit.count());
  if (!ns) return std::nullopt;
  return Duration{*ns};
}

std::optional<Duration> parse_unit(std::string_view text) {
  if (text == "ns") return std::chrono::nanoseconds{1};
  if (text == "us") return std::chrono::microseconds{1};
  if (text == "ms") return std::chrono::milliseconds{1};
  if (text == "s") return std::chrono::seconds{1};
  if (text == "min") return std::chrono::minutes{1};
  if (text == "h") return std::chrono::hours{1};
  if (text == "d") return std::chrono::hours{24};
  return std::nullopt;
}

std::optional<Duration> parse_time_span(std::string_view text) {
  if (const auto plain = parse_duration(text)) return plain;
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  Duration sum{};
  while (!text.empty()) {
    std::size_t number = 0;
    while (number < text.size() && (is_digit(text[number]) || text[number] == '.')) ++number;
    std::size_t end = number;
    while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
    const auto unit = parse_unit(text.substr(number, end - number));
    const auto part = unit ? parse_duration(text.substr(0, number), *unit) : std::nullopt;
    if (!part || *part > kLongest || sum > kLongest) return std::nullopt;
    sum += *part;
    text.remove_prefix(end);
  }
  return sum;
}

}  // namespace muster
