#pragma once
#include <cstdint>
#include <vector>

#include "muster/cluster/node_set.hpp"

namespace muster {

/// The nodes of one pool, grouped by how many whole GPUs they have free. A change moves one bit
/// between two groups; the tightest node that fits is the first bit of the first non-empty group.
class FreeIndex {
 public:
  FreeIndex() = default;
  FreeIndex(std::size_t nodes, std::uint32_t widest)
      : groups_(widest + 1, NodeSet(nodes)), at_least_(widest + 1) {}

  std::uint32_t widest() const { return static_cast<std::uint32_t>(groups_.size()) - 1; }
  const NodeSet& group(std::uint32_t free) const { return groups_[free]; }

  void insert(std::uint32_t n, std::uint32_t free) {
    if (free > 0) groups_[free].insert(n);
    count(1, 0, free);
  }
  void move(std::uint32_t n, std::uint32_t from, std::uint32_t to) {
    if (from > 0) groups_[from].erase(n);
    if (to > 0) groups_[to].insert(n);
    count(1, from, to);
  }
  /// For so many nodes side by side that all have `from` free.
  void move_run(std::uint32_t first, std::uint32_t nodes, std::uint32_t from, std::uint32_t to) {
    if (from > 0) groups_[from].erase_run(first, nodes);
    if (to > 0) groups_[to].insert_run(first, nodes);
    count(nodes, from, to);
  }

  /// Nodes with at least `k` >= 1 free.
  std::uint32_t at_least(std::uint32_t k) const { return k < at_least_.size() ? at_least_[k] : 0; }

 private:
  void count(std::uint32_t nodes, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t k = from; k > to; --k) at_least_[k] -= nodes;
    for (std::uint32_t k = to; k > from; --k) at_least_[k] += nodes;
  }

  std::vector<NodeSet> groups_;  // [0] stays empty: full nodes are of no use to anyone
  std::vector<std::uint32_t>
      at_least_;  // [k]: nodes with at least k free, asked for more than changed
};

}  // namespace muster
