#include "muster/policy/parts/decayed_usage.hpp"

#include "muster/core/detmath.hpp"

namespace muster {

void DecayedUsage::bring_to(SimTime now, Duration half_life) {
  if (now == at) return;
  const double h = seconds(half_life);
  const double decay = detmath::exp2(-seconds(now - at) / h);
  constexpr double kLn2 = 0.693147180559945309417;
  gpu_seconds = gpu_seconds * decay + static_cast<double>(milli) * 1e-3 * (h / kLn2) * (1 - decay);
  at = now;
}

}  // namespace muster
