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
  FreeIndex(std::size_t nodes, std::uint32_t widest) : groups_(widest + 1, NodeSet(nodes)) {}

  std::uint32_t widest() const { return static_cast<std::uint32_t>(groups_.size()) - 1; }
  const NodeSet& group(std::uint32_t free) const { return groups_[free]; }

  void insert(std::uint32_t n, std::uint32_t free) {
    if (free > 0) groups_[free].insert(n);
  }
  void move(std::uint32_t n, std::uint32_t from, std::uint32_t to) {
    if (from > 0) groups_[from].erase(n);
    if (to > 0) groups_[to].insert(n);
  }
  /// For `count` nodes side by side that all have `from` free.
  void move_run(std::uint32_t first, std::uint32_t count, std::uint32_t from, std::uint32_t to) {
    if (from > 0) groups_[from].erase_run(first, count);
    if (to > 0) groups_[to].insert_run(first, count);
  }

  /// Nodes with at least `k` >= 1 free.
  std::uint32_t at_least(std::uint32_t k) const {
    std::uint32_t n = 0;
    for (std::uint32_t g = k; g < groups_.size(); ++g) n += groups_[g].size();
    return n;
  }

 private:
  std::vector<NodeSet> groups_;  // [0] stays empty: full nodes are of no use to anyone
};

}  // namespace muster
