#pragma once
#include <array>
#include <string_view>

#include "muster/topology/builder.hpp"

namespace muster {

// Networks that are no trees, cut where traffic from one part of them to another must cross: each part is
// a domain, and what crosses its border is the rate of its uplinks. Inside a part all can talk as they like.

/// Routers in groups: all of a group are linked to each other, and each has links to other groups.
/// A router is a leaf, a group a pod.
struct Dragonfly {
  std::uint64_t nodes_per_router = 0, routers_per_group = 0, global_links_per_router = 0;
  double local_bytes_per_s = 0, global_bytes_per_s = 0;  // of one link, per direction
};
void wire_as(NodeGroup& group, const Dragonfly& dragonfly, std::string_view where);

/// Nodes in a ring, rings in a torus, tori in a torus of three dimensions: a ring is a leaf and a plane a pod.
/// Each node has a link to each of its two neighbours in each dimension.
struct Torus {
  std::array<std::uint64_t, 3> dimensions{1, 1, 1};
  double bytes_per_s = 0;  // of one link, per direction
};
void wire_as(NodeGroup& group, const Torus& torus, std::string_view where);

}  // namespace muster
