#pragma once
#include <cstdint>
#include <string>

namespace muster {

/// 128-bit integers, for sums of GPU time: a million GPUs in thousandths over a century of
/// nanoseconds need 92 bits.
__extension__ using Int128 = __int128;

/// Decimal digits of `v`.
std::string to_string(Int128 v);

/// `v` / 10^`digits` as an exact decimal without trailing zeros: to_decimal(1500, 3) == "1.5".
std::string to_decimal(Int128 v, int digits);

}  // namespace muster
