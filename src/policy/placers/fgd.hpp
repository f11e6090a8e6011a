#pragma once
#include <vector>

#include "muster/cluster/demand.hpp"
#include "scored.hpp"

namespace muster {

/// How many tasks of each shape a cluster is asked for, kept so that the fragmentation of a node is
/// found in O(its shared GPUs). A gang is as many tasks as it has nodes, for a task is what one node
/// holds; what `span=any` scatters counts as tasks of one GPU.
class TaskMix {
 public:
  /// So many jobs ask for `d`; returns how many tasks that is.
  std::int64_t add(const Demand& d, const Fleet& fleet, std::int64_t jobs = 1);

  /// Weng et al., section 3.2, for GPUs only: of the free thousandths of GPUs of `room`, those that a
  /// task of the mix can't use, summed over all tasks. All of them, where the task does not fit on
  /// the node; else those of the GPUs that have less free than it needs on each.
  std::int64_t fragmentation(const NodeRoom& room) const;

 private:
  struct Pool {
    std::vector<std::int64_t> wider;   // [k]: tasks of more than k whole GPUs
    std::vector<std::int64_t> larger;  // [m]: tasks that ask for more than m thousandths of one GPU
    std::int64_t barred = 0;           // tasks of which the pool's type is none
  };
  std::int64_t add_tasks(PoolMask pools, std::uint32_t whole, std::uint32_t milli,
                         std::int64_t tasks);

  std::vector<Pool> pools_;
};

}  // namespace muster
