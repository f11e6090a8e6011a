#pragma once
#include "muster/core/time.hpp"

namespace muster {

/// The first multiple of `period` (above 0), counted from the trace's origin, that is not before `t`.
constexpr SimTime next_multiple(SimTime t, Duration period) {
  const Duration into = t.time_since_epoch() % period;
  return into == Duration{} ? t : later(t, period - into);
}

/// The last multiple of `period` that is not after `t`.
constexpr SimTime last_multiple(SimTime t, Duration period) {
  return t - t.time_since_epoch() % period;
}

/// The first multiple of `period` that is after `t`.
constexpr SimTime multiple_after(SimTime t, Duration period) {
  return later(t, period - t.time_since_epoch() % period);
}

}  // namespace muster
