#pragma once
#include <span>

#include "muster/cluster/cluster.hpp"

namespace muster {

/// Whether `d` would fit if somebody took `slices`, all free, and `milli` of each GPU.
/// The cluster is only looked at where that is a question of counts, and else changed for a moment.
bool fits_without(Cluster& cluster, const Demand& d, std::span<const Slice> slices,
                  std::uint32_t milli);

}  // namespace muster
