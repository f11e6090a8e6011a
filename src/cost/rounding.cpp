#include "muster/cost/rounding.hpp"

#include <cmath>

#include "muster/core/check.hpp"

namespace muster {

Duration rounded(double us) {
  MUSTER_CHECK(us >= 0);  // refuses NaN too
  constexpr double kMost = static_cast<double>(kLongest.count());
  const double ns = us * 1e3;
  if (ns >= kMost) return kLongest;
  return Duration{static_cast<Duration::rep>(std::floor(ns + 0.5))};
}

}  // namespace muster
