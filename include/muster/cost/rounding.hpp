#pragma once
#include <cstdint>

#include "muster/core/time.hpp"

namespace muster {

/// The one way out of the cost model: microseconds to the nearest nanosecond, halves up. What is
/// reported, summed or simulated is this integer, so that terms add up exactly on every machine.
/// Times beyond kLongest are kLongest.
Duration rounded(double us);

}  // namespace muster
