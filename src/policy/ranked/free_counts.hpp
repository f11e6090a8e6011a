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

  /// What would be free if many gave theirs back. Begins with what is free now, and is complete when it is summed up.
  void begin_to_suppose() { supposed_free_ = free_; }
  void suppose_given_back(std::span<const Slice> slices) {
    for (const Slice& s : slices) {
      const auto gpus = static_cast<std::uint8_t>(count(s.gpus));
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        supposed_free_[NodeId{n}] = static_cast<std::uint8_t>(supposed_free_[NodeId{n}] + gpus);
    }
  }
  void sum_up_supposed();
  bool supposed_fits(const Demand& d) const { return fits_in(supposed_, d); }
  /// Keeps what is supposed, for would_fit().
  void remember() { remembered_ = supposed_; }
  bool would_fit(const Demand& d) const { return fits_in(remembered_, d); }

 private:
  struct Pool {
    std::uint32_t free = 0, idle = 0;     // GPUs; nodes with all of theirs free
    std::vector<std::uint32_t> at_least;  // [k]: nodes with k or more free
  };
  struct Scope;

  void sum_up_alike(Pool& p) const;
  static bool fits_in(const std::vector<Pool>& pools, const Demand& d);
  void change(std::span<const Slice> slices, bool more);
  void set(NodeId n, std::uint32_t free);

  const Fleet* fleet_ = nullptr;
  bool alike_ = false;  // all nodes
  std::vector<Pool> pools_, supposed_, remembered_;
  IdVector<NodeId, std::uint8_t> free_, supposed_free_;
  IdVector<NodeId, GpuMask> masks_;  // of the cluster when it was last looked at
};

}  // namespace muster::ranked
