// Networks that are no trees, by what crosses the borders of their parts.
#include "muster/topology/shapes.hpp"

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/compile.hpp"
#include "muster/topology/fabric.hpp"

using namespace muster;

namespace {

NodeGroup h100(std::uint64_t count) {
  NodeGroup group;
  group.count = count;
  group.gpus = 8;
  group.gpu_type = "H100";
  return group;
}

Fleet build(const NodeGroup& group) {
  GraphBuilder builder;
  builder.add(group, "g");
  return compile(builder.take(), "test", "test");
}

double up(const Fleet& fleet, Level level) {
  return fleet.fabric->up[static_cast<std::size_t>(level)][0].bytes_per_s / 1e9;
}

std::size_t count(const Fleet& fleet, Level level) {
  return fleet.domains[static_cast<std::size_t>(level)].size();
}

}  // namespace

TEST_CASE("a dragonfly: from a router to its group and the others, from a group to the others") {
  NodeGroup group = h100(4 * 4 * 9);
  wire_as(group, Dragonfly{4, 4, 2, 100e9, 50e9}, "g");
  const Fleet fleet = build(group);
  CHECK(count(fleet, Level::leaf) == 36);
  CHECK(count(fleet, Level::pod) == 9);
  CHECK(up(fleet, Level::leaf) == 3 * 100 + 2 * 50);
  CHECK(up(fleet, Level::pod) == 4 * 2 * 50);
}

TEST_CASE("a torus: two links in each dimension, one where only one other node is") {
  NodeGroup group = h100(4 * 3 * 2);
  wire_as(group, Torus{{4, 3, 2}, 10e9}, "g");
  const Fleet fleet = build(group);
  CHECK(count(fleet, Level::leaf) == 6);
  CHECK(count(fleet, Level::pod) == 2);
  CHECK(fleet.wiring(NodeId{0}).network_bytes_per_s() == 50e9);
  CHECK(up(fleet, Level::leaf) == 4 * 3 * 10);
  CHECK(up(fleet, Level::pod) == 12 * 1 * 10);
  NodeGroup ring = h100(5);
  wire_as(ring, Torus{{5, 1, 1}, 10e9}, "g");
  CHECK(oversubscription(build(ring), Level::leaf, 0) == 1);
}

TEST_CASE("oversubscription instead of a rate") {
  NodeGroup group = h100(16);
  group.nodes_per_leaf = 4;
  group.leaves_per_pod = 2;
  group.leaf_oversubscription = 2;
  group.pod_oversubscription = 8;
  const Fleet fleet = build(group);
  CHECK(up(fleet, Level::leaf) == 800);
  CHECK(up(fleet, Level::pod) == 400);
  CHECK(oversubscription(fleet, Level::leaf, 3) == 2);
  CHECK(oversubscription(fleet, Level::pod, 1) == 8);
}

TEST_CASE("shapes that contradict the rest of the group are refused") {
  NodeGroup group = h100(16);
  CHECK_THROWS_WITH(wire_as(group, Torus{{4, 3, 1}, 1e9}, "g"),
                    "g: a torus of 4 x 3 x 1 has 12 nodes, and the group 16\n    make them agree");
  group.nodes_per_leaf = 4;
  CHECK_THROWS_WITH(wire_as(group, Dragonfly{4, 4, 1, 1e9, 1e9}, "g"),
                    "g: has a \"dragonfly\", and says how many nodes a leaf or pod has\n"
                    "    the shape says both: keep one of them");
  group.leaf_oversubscription = 2;
  group.links.leaf.bytes_per_s = 1e9;
  CHECK_THROWS_WITH(build(group),
                    "g: says how much a leaf is oversubscribed, and what its link carries\n"
                    "    say one of them");
  group.leaf_oversubscription = 0;
  group.pod_oversubscription = 2;
  CHECK_THROWS_WITH(build(group),
                    "g: says how much a pod is oversubscribed, but not how many nodes it has\n"
                    "    say both");
}
