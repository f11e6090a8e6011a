#include "muster/core/int128.hpp"

#include <algorithm>
#include <cstdint>

namespace muster {

std::string to_string(Int128 v) {
  if (v >= INT64_MIN && v <= INT64_MAX) return std::to_string(static_cast<std::int64_t>(v));
  const bool negative = v < 0;
  std::string digits;
  while (v != 0) {
    const auto digit = static_cast<int>(v % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    v /= 10;
  }
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string to_decimal(Int128 v, int digits) {
  std::string text = to_string(v < 0 ? -v : v);
  const auto places = static_cast<std::size_t>(digits);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  if (places > 0) {
    text.insert(text.size() - places, ".");
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return v < 0 ? "-" + text : text;
}

}  // namespace muster
