#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace muster {

inline constexpr double kMillion = 1e6;
inline constexpr double kStandsStill = 1e6;  // no work takes longer than so many times its time

inline std::uint32_t millionths(double share) {
  return static_cast<std::uint32_t>(std::llround(kMillion * std::max(share, 0.0)));
}

}  // namespace muster
