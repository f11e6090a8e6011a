#pragma once
#include "muster/topology/builder.hpp"
#include "muster/topology/compile.hpp"

namespace muster::test {

/// Leaves of two nodes of eight H100 with 400 GB/s each, and `up` GB/s from a leaf.
inline Fleet leaves(std::uint64_t nodes, double up) {
  NodeGroup group;
  group.count = nodes;
  group.gpus = 8;
  group.gpu_type = "H100";
  group.nodes_per_leaf = 2;
  group.links.leaf.bytes_per_s = up * 1e9;
  GraphBuilder builder;
  builder.add(group, "test");
  return compile(builder.take(), "test", "test");
}

inline Slice nodes(std::uint32_t first, std::uint32_t count, GpuMask gpus = 0xFF) {
  return {NodeId{first}, count, gpus};
}

}  // namespace muster::test
