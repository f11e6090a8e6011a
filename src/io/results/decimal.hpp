#pragma once
#include <array>
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

/// "00" to "99", one after the other.
inline constexpr auto kPairs = [] {
  std::array<char, 200> text{};
  for (std::size_t i = 0; i < 100; ++i) {
    text[2 * i] = static_cast<char>('0' + i / 10);
    text[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return text;
}();
/// Two digits of v < 100.
inline char* put_pair(char* p, std::uint32_t v) {
  std::memcpy(p, &kPairs[std::size_t{2} * v], 2);
  return p + 2;
}
/// v < 10,000.
inline char* put_small(char* p, std::uint32_t v) {
  const auto lead = [&](std::uint32_t n) {
    if (n >= 10) return put_pair(p, n);
    *p = static_cast<char>('0' + n);
    return p + 1;
  };
  if (v < 100) return lead(v);
  p = lead(v / 100);
  return put_pair(p, v % 100);
}
inline char* put(char* p, std::uint64_t v) {
  if (v < 10'000) return put_small(p, static_cast<std::uint32_t>(v));
  if (v >= 100'000'000) return std::to_chars(p, p + kLongest, v).ptr;
  const auto small = static_cast<std::uint32_t>(v);
  p = put_small(p, small / 10'000);
  p = put_pair(p, small / 100 % 100);
  return put_pair(p, small % 100);
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
