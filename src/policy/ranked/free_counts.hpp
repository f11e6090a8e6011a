#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "muster/cluster/cluster.hpp"
#include "muster/cluster/demand.hpp"

namespace muster::ranked {

/// How many GPUs are free on each node, and would be if some of the jobs that run were gone. For gangs of whole GPUs
/// that may be anywhere this is all that fit() asks, so whoever tries hundreds of victims asks here: a Cluster takes
/// thirty times as long to take a job out and in again.
class FreeCounts {
 public:
  /// Whether numbers can tell: no shares and no MIG instances. (Jobs side by side are not counted either.)
  static bool enough(const Fleet& fleet, const IdVector<ShapeId, Demand>& demands);
  static bool enough(const Demand& d) { return d.tasks.empty() && d.required == Level::fleet; }

  void begin(const Fleet& fleet);
  /// What is free now. False where a node is out of service: what is given back there is nobody's.
  bool match(const Cluster& cluster);

  void give_back(std::span<const Slice> slices) { change(slices, true); }
  void take(std::span<const Slice> slices) { change(slices, false); }
  /// As fit() of a Cluster with so many free GPUs.
  bool fits(const Demand& d) const { return fits_in(pools_, d); }

  /// Keeps the present numbers, for would_fit().
  void remember() { remembered_ = pools_; }
  bool would_fit(const Demand& d) const { return fits_in(remembered_, d); }

 private:
  struct Pool {
    std::uint32_t free = 0, idle = 0;     // GPUs; nodes with all of theirs free
    std::vector<std::uint32_t> at_least;  // [k]: nodes with k or more free
  };
  struct Scope;

  static bool fits_in(const std::vector<Pool>& pools, const Demand& d);
  void change(std::span<const Slice> slices, bool more);
  void set(NodeId n, std::uint32_t free);

  const Fleet* fleet_ = nullptr;
  std::vector<Pool> pools_, remembered_;
  IdVector<NodeId, std::uint8_t> free_;
  IdVector<NodeId, GpuMask> masks_;  // of the cluster when it was last looked at
};

}  // namespace muster::ranked
