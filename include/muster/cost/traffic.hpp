#pragma once
#include <span>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/cost/mapping.hpp"
#include "muster/cost/model.hpp"
#include "muster/topology/fleet.hpp"

namespace muster {

/// Bytes that go out of nodes onto their network, and what of it goes out of leaves (over a spine) and out of
/// pods (over the core). What n nodes of a ring pass on is counted n times: once per link.
struct Traffic {
  double nodes = 0, leaves = 0, pods = 0;

  Traffic& operator+=(const Traffic& other) {
    nodes += other.nodes;
    leaves += other.leaves;
    pods += other.pods;
    return *this;
  }
  friend Traffic operator*(const Traffic& t, double times) {
    return {t.nodes * times, t.leaves * times, t.pods * times};
  }
};

/// Of one step, by plan and algorithm: docs/cost.md. Slices as of place(). A node inside a wider NVLink domain
/// counts as that domain.
Traffic step_traffic(const Fleet& fleet, std::span<const Slice> slices, const ModelSpec& model,
                     const ParallelPlan& plan, const Mapping& mapping);

}  // namespace muster
