#pragma once
#include <span>
#include <vector>

#include "muster/cluster/cluster.hpp"

namespace muster {

/// `gpus` GPUs of `where`: the nodes with most of them first, and the rest on the node that it empties
/// most nearly. What is a whole-node cut stays one.
std::vector<Slice> part_of(std::span<const Slice> where, std::uint32_t gpus);

/// Both together, in node order.
std::vector<Slice> joined(std::span<const Slice> a, std::span<const Slice> b);

/// If `where` is on one node, and the node has room for `gpus`: these GPUs and more of the same node.
bool extended_on_its_node(const Cluster& cluster, std::span<const Slice> where, std::uint32_t gpus,
                          std::vector<Slice>& out);

}  // namespace muster
