#pragma once
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "muster/core/int128.hpp"
#include "muster/core/time.hpp"

/// Exact decimals, appended to a buffer that the caller made large enough: what to_decimal() gives,
/// at the speed that millions of rows need. Each returns the end of what it wrote.
namespace muster::decimal {

inline constexpr int kLongest = 48;  // sign, 39 digits of an Int128, point, and some

/// The eight digits of v < 100,000,000, one a byte, the first one lowest: halves, then pairs, then digits
/// are told apart, each step for all of them at once.
constexpr std::uint64_t digits_of(std::uint32_t v) {
  const std::uint64_t halves = v / 10'000 | std::uint64_t{v % 10'000} << 32;
  const std::uint64_t hundreds = (halves * 10'486 >> 20) & 0x7f'0000'007f;
  const std::uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
  const std::uint64_t tens = (pairs * 103 >> 10) & 0xf'000f'000f'000f;
  return tens | (pairs - 10 * tens) << 8;
}
/// May write eight bytes, whatever the number.
inline char* put(char* p, std::uint64_t v) {
  if (v < 10) {
    *p = static_cast<char>('0' + v);
    return p + 1;
  }
  if (v >= 100'000'000) return std::to_chars(p, p + kLongest, v).ptr;
  const std::uint64_t digits = digits_of(static_cast<std::uint32_t>(v));
  const int leading = std::countr_zero(digits) / 8;
  std::uint64_t text = (digits | 0x3030'3030'3030'3030) >> (8 * leading);
  if constexpr (std::endian::native == std::endian::big) text = __builtin_bswap64(text);
  std::memcpy(p, &text, sizeof text);
  return p + 8 - leading;
}

/// `.` and `digits` digits of `fraction`, without trailing zeros; nothing if it is zero.
inline char* put_fraction(char* p, std::uint64_t fraction, int digits) {
  if (fraction == 0) return p;
  *p = '.';
  for (int i = digits; i > 0; --i) {
    p[i] = static_cast<char>('0' + fraction % 10);
    fraction /= 10;
  }
  char* last = p + digits;
  while (*last == '0') --last;
  return last + 1;
}

/// Nanoseconds, as seconds.
inline char* put_seconds(char* p, std::int64_t ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  if (ns == 0) return put(p, 0);
  auto magnitude = static_cast<std::uint64_t>(ns);
  if (ns < 0) {
    *p++ = '-';
    magnitude = 0 - magnitude;
  }
  p = put(p, magnitude / kSecond);
  return put_fraction(p, magnitude % kSecond, 9);
}
inline char* put_seconds(char* p, Duration d) { return put_seconds(p, d.count()); }
inline char* put_seconds(char* p, SimTime t) {
  return put_seconds(p, t.time_since_epoch().count());
}

inline std::string seconds(SimTime t) { return to_decimal(t.time_since_epoch().count(), 9); }

/// Thousandth-GPU nanoseconds, as GPU-seconds. Requires v >= 0.
inline char* put_gpu_seconds(char* p, Int128 v) {
  constexpr std::uint64_t kGpuSecond = 1'000'000'000'000;
  if (v == 0) return put(p, 0);
  if (v <= INT64_MAX) {
    const auto small = static_cast<std::uint64_t>(v);
    p = put(p, small / kGpuSecond);
    return put_fraction(p, small % kGpuSecond, 12);
  }
  const std::string text = to_decimal(v, 12);
  return p + text.copy(p, text.size());
}

/// Thousandths, as units. Requires v >= 0.
inline char* put_milli(char* p, std::int64_t v) {
  const auto magnitude = static_cast<std::uint64_t>(v);
  p = put(p, magnitude / 1000);
  return put_fraction(p, magnitude % 1000, 3);
}

/// The shortest text that reads back as the same number.
inline char* put_shortest(char* p, double v) {
  if (v == 0) return put(p, 0);
  return std::to_chars(p, p + kLongest, v).ptr;
}
inline std::string shortest(double v) {
  char text[kLongest];
  return {text, put_shortest(text, v)};
}

}  // namespace muster::decimal
