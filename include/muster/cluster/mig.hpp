#pragma once
#include <optional>

#include "muster/cluster/cluster.hpp"
#include "muster/cluster/demand.hpp"

namespace muster {

/// The instance of profile `id` whose slots `s` are.
InstancePlace instance_place(const Slice& s, MigId id);

/// Where an instance for `d` goes, by d.mig_placement; nothing if no GPU has such slots free.
/// O(GPUs in MIG mode).
///
/// first_free: the lowest-numbered GPU, and on it the lowest slots. keep_largest: the GPU and slots
/// that take the least choice from what could still be made: of the largest profile first, then of the
/// next; ties where the instance stands already, then the lowest.
std::optional<Slice> place_instance(const Cluster& cluster, const Demand& d);

}  // namespace muster
