#pragma once
#include <cstdint>

#include "muster/core/time.hpp"

namespace muster {

/// What somebody used, in GPU-seconds that decay with a half-life h and accrue while jobs run on g
/// GPUs:
///   U(t + d) = U(t) 2^(-d/h) + g (h / ln 2) (1 - 2^(-d/h))
/// the continuous form of Slurm's decayed usage (PriorityDecayHalfLife, multifactor priority).
struct DecayedUsage {
  double gpu_seconds = 0;  // at `at`
  std::int64_t milli = 0;  // thousandths of GPUs it runs on
  SimTime at = kStart;

  void bring_to(SimTime now, Duration half_life);
  /// From `now` on it runs on so much more, in thousandths of GPUs; or on less.
  void run_on(SimTime now, Duration half_life, std::int64_t more) {
    bring_to(now, half_life);
    milli += more;
  }
};

}  // namespace muster
