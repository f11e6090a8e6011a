#include "muster/topology/shapes.hpp"

#include "muster/core/error.hpp"

namespace muster {
namespace {

void check_free(const NodeGroup& group, const char* shape, std::string_view where) {
  if (group.nodes_per_leaf == 0 && group.leaves_per_pod == 0 && group.pods_per_fabric == 0) return;
  throw InputError(
      where, std::string{"has a \""} + shape + "\", and says how many nodes a leaf or pod has",
      "the shape says both: keep one of them");
}

}  // namespace

void wire_as(NodeGroup& group, const Dragonfly& d, std::string_view where) {
  check_free(group, "dragonfly", where);
  group.nodes_per_leaf = d.nodes_per_router;
  group.leaves_per_pod = d.routers_per_group;
  const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
  const double global = count(d.global_links_per_router) * d.global_bytes_per_s;
  const double local = count(d.routers_per_group - 1) * d.local_bytes_per_s;
  group.links.leaf.bytes_per_s = local + global;
  group.links.pod.bytes_per_s = count(d.routers_per_group) * global;
}

void wire_as(NodeGroup& group, const Torus& t, std::string_view where) {
  check_free(group, "torus", where);
  const auto [x, y, z] = t.dimensions;
  if (group.count != x * y * z)
    throw InputError(where,
                     "a torus of " + std::to_string(x) + " x " + std::to_string(y) + " x " +
                         std::to_string(z) + " has " + std::to_string(x * y * z) +
                         " nodes, and the group " + std::to_string(group.count),
                     "make them agree");
  // Two neighbours, which are one and the same where a dimension has two nodes.
  const auto neighbours = [](std::uint64_t n) { return n > 2 ? 2.0 : n > 1 ? 1.0 : 0.0; };
  group.nodes_per_leaf = x;
  group.leaves_per_pod = y;
  const double links = neighbours(x) + neighbours(y) + neighbours(z);
  if (links > 0) group.links.node.bytes_per_s = links * t.bytes_per_s;
  const double across = neighbours(y) + neighbours(z), along = neighbours(z);
  if (across > 0) group.links.leaf.bytes_per_s = static_cast<double>(x) * across * t.bytes_per_s;
  if (along > 0) group.links.pod.bytes_per_s = static_cast<double>(x * y) * along * t.bytes_per_s;
}

}  // namespace muster
