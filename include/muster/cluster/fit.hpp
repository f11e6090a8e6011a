#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "muster/cluster/cluster.hpp"
#include "muster/cluster/demand.hpp"

namespace muster {

/// Whether `d` could start on what is free now, and if not, what stands in the way. Monotone: more
/// free GPUs never turn a fit into a misfit.
enum class Fit : std::uint8_t {
  yes,
  too_few,     // not enough free GPUs in the whole fleet
  wrong_type,  // enough free GPUs, but not in the allowed pools
  fragmented,  // enough free GPUs there, not in the nodes, tasks or shares needed
  apart        // enough nodes, not inside one domain of the required level
};
Fit fit(const Cluster& cluster, const Demand& d);
inline bool fits(const Cluster& cluster, const Demand& d) { return fit(cluster, d) == Fit::yes; }

/// Whether `d` fits inside one domain. Needs Cluster::tracks_domains() unless level is fleet.
bool fits_domain(const Cluster& cluster, const Demand& d, Level level, std::uint32_t domain);

/// A node for each of d.tasks (same order), all inside `range`, or nothing if there is none: the
/// tightest node for the largest task first, and a search where that fails.
std::optional<std::vector<NodeId>> assign_tasks(const Cluster& cluster, const Demand& d,
                                                NodeRange range);

}  // namespace muster
