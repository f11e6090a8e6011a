// From groups and nodes to the ranges of a Fleet.
#include <map>
#include <random>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/builder.hpp"
#include "muster/topology/compile.hpp"

using namespace muster;

namespace {

NodeGroup group(std::uint64_t count, std::uint64_t gpus, std::string type = "") {
  NodeGroup group;
  group.count = count;
  group.gpus = gpus;
  group.gpu_type = std::move(type);
  return group;
}

Fleet build(const std::vector<NodeGroup>& groups) {
  GraphBuilder builder;
  for (const NodeGroup& group : groups) builder.add(group, "test");
  return compile(builder.take(), "test", "test");
}

NamedNode node(std::string id, std::string leaf, std::string pod = "", std::string fabric = "") {
  NamedNode node;
  node.id = std::move(id);
  node.gpus = 8;
  node.leaf = std::move(leaf);
  node.pod = std::move(pod);
  node.fabric = std::move(fabric);
  return node;
}

Fleet build(const std::vector<NamedNode>& nodes) {
  GraphBuilder builder;
  for (const NamedNode& node : nodes) builder.add(node, "test");
  return compile(builder.take(), "test", "test");
}

/// "[0,2) [2,3)"
std::string ranges(const Fleet& fleet, Level level) {
  std::string text;
  for (const NodeRange& range : fleet.domains[static_cast<std::size_t>(level)])
    text += (text.empty() ? "[" : " [") + std::to_string(range.first) + "," +
            std::to_string(range.last) + ")";
  return text;
}

std::string names(const Fleet& fleet) {
  std::string text;
  for (std::uint32_t i = 0; i < fleet.nodes.size(); ++i)
    text += (i ? " " : "") + fleet.node_name(NodeId{i});
  return text;
}

std::string message(const NodeGroup& group) {
  GraphBuilder builder;
  try {
    builder.add(group, "g");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a group is cut into leaves, pods and fabrics; the last of each may be smaller") {
  NodeGroup g = group(11, 8);
  g.nodes_per_leaf = 2;
  g.leaves_per_pod = 2;
  g.pods_per_fabric = 2;
  const Fleet fleet = build({g});
  CHECK(ranges(fleet, Level::leaf) == "[0,2) [2,4) [4,6) [6,8) [8,10) [10,11)");
  CHECK(ranges(fleet, Level::pod) == "[0,4) [4,8) [8,11)");
  CHECK(ranges(fleet, Level::fabric) == "[0,8) [8,11)");
  CHECK(ranges(fleet, Level::fleet) == "[0,11)");
  CHECK(names(fleet) == "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 n10");
}

TEST_CASE("NVLink domains are wider than a node") {
  NodeGroup g = group(5, 4);
  g.nvlink_nodes = 2;
  g.nodes_per_leaf = 4;
  const Fleet fleet = build({g, group(2, 8)});
  CHECK(ranges(fleet, Level::nvlink) == "[0,2) [2,4) [4,5) [5,6) [6,7)");
  CHECK(ranges(fleet, Level::leaf) == "[0,4) [4,5) [5,7)");
}

TEST_CASE("groups without leaves share one; groups of one fabric meet at its core") {
  NodeGroup a = group(2, 8), b = group(3, 8), c = group(1, 8);
  a.fabric = c.fabric = "F";
  b.fabric = "G";
  a.prefix = "a";
  b.prefix = "b";
  c.prefix = "c";
  const Fleet fleet = build({a, b, c});
  CHECK(names(fleet) == "a0 a1 c0 b0 b1 b2");
  CHECK(ranges(fleet, Level::leaf) == "[0,3) [3,6)");
  CHECK(ranges(fleet, Level::fabric) == "[0,3) [3,6)");
  CHECK(fleet.domain_name(Level::fabric, 1) == "G");
}

TEST_CASE("pools are in order of their first node, and hold what is theirs") {
  const Fleet fleet = build({group(250, 8, "v100"), group(245, 2, "p100"), group(1, 4, "v100")});
  REQUIRE(fleet.pools.size() == 2);
  CHECK(fleet.pools[0].gpu_type == "v100");
  CHECK(fleet.pools[0].gpus == 2004);
  CHECK(fleet.pools[0].nodes == 251);
  CHECK(fleet.pools[1].gpus == 490);
  CHECK(fleet.pools[1].widest == 2);
  CHECK(fleet.nodes[NodeId{495}].pool == 0);
}

TEST_CASE("nodes of a rack that stand apart are brought together where the first stands") {
  const Fleet fleet =
      build({node("a0", "A"), node("b0", "B"), node("a1", "A"), node("c0", "C"), node("b1", "B")});
  CHECK(names(fleet) == "a0 a1 b0 b1 c0");
  CHECK(ranges(fleet, Level::leaf) == "[0,2) [2,4) [4,5)");
  CHECK(fleet.domain_name(Level::leaf, 1) == "B");
}

TEST_CASE("fabrics named by nodes are separate") {
  const Fleet fleet = build({node("f1a", "", "", "F1"), node("f2a", "", "", "F2"),
                             node("f1b", "", "", "F1"), node("f2b", "", "", "F2")});
  CHECK(names(fleet) == "f1a f1b f2a f2b");
  CHECK(ranges(fleet, Level::fabric) == "[0,2) [2,4)");
  CHECK(ranges(fleet, Level::leaf) == "[0,2) [2,4)");
}

TEST_CASE("nodes of an NVLink domain are brought together within their rack") {
  NamedNode a = node("a", "A"), b = node("b", "A"), c = node("c", "A"), d = node("d", "A");
  a.nvlink = c.nvlink = "V";
  const Fleet fleet = build({a, b, c, d});
  CHECK(names(fleet) == "a c b d");
  CHECK(ranges(fleet, Level::nvlink) == "[0,2) [2,3) [3,4)");
  CHECK(fleet.domain_name(Level::nvlink, 0) == "V");
  CHECK(fleet.domain_name(Level::nvlink, 1) == "nvlink 1");
}

TEST_CASE("nodes without a name are called by their number beside others that have one") {
  NodeGroup named = group(1, 8);
  named.prefix = "x";
  CHECK(names(build({group(1, 8), named, group(1, 8)})) == "n0 x0 n2");
}

TEST_CASE("a rack in two pods") {
  GraphBuilder builder;
  builder.add(node("a", "A", "P"), "test");
  CHECK_THROWS_WITH(builder.add(node("b", "A", "Q"), "f.json: /nodes/1"),
                    "f.json: /nodes/1: leaf \"A\" is in one pod for node \"b\" and in another for "
                    "node \"a\"\n"
                    "    a domain is in one place: correct one of the nodes, or give two names");
}

TEST_CASE("wiring that can't be meant") {
  CHECK(message(group(0, 8)) == "g: 0 nodes; expected 1 to 4194304");
  CHECK(message(group(5000000, 8)) == "g: 5000000 nodes; expected 1 to 4194304");
  CHECK(message(group(1, 0)) ==
        "g: a node of 0 GPUs; expected 1 to 64\n"
        "    nodes without GPUs are not part of a fleet: leave them out");
  CHECK(message(group(1, 72)) ==
        "g: a node of 72 GPUs; expected 1 to 64\n"
        "    describe a wider machine as several nodes of one NVLink domain");
  NodeGroup g = group(8, 8);
  g.leaves_per_pod = 2;
  CHECK(message(g) ==
        "g: leaves_per_pod without nodes_per_leaf\n"
        "    say how many nodes a leaf has, or leave out leaves_per_pod");
  g = group(8, 8);
  g.nodes_per_leaf = 2;
  g.pods_per_fabric = 2;
  CHECK(message(g) ==
        "g: pods_per_fabric without leaves_per_pod\n"
        "    say how many leaves a pod has, or leave out pods_per_fabric");
  g = group(8, 8);
  g.nvlink_nodes = 3;
  g.nodes_per_leaf = 4;
  CHECK(message(g) ==
        "g: nodes_per_leaf is 4, which is not a multiple of nvlink_nodes, 3\n"
        "    an NVLink domain is under one leaf");
  g = group(8, 8);
  g.nvlink_nodes = 0;
  CHECK(message(g) ==
        "g: nvlink_nodes is 0; expected 1 or more\n"
        "    1 means that each node is an NVLink domain of its own");
}

TEST_CASE("groups that together are too many nodes") {
  GraphBuilder builder;
  builder.add(group(10, 1), "g");
  CHECK_THROWS_WITH(builder.add(group(kMostNodes, 1), "g"),
                    "g: the fleet would have 4194314 nodes; expected at most 4194304");
}

TEST_CASE("wiring of which the products overflow is the same as no limit") {
  NodeGroup g = group(4, 8);
  g.nodes_per_leaf = g.leaves_per_pod = g.pods_per_fabric = UINT64_MAX;
  CHECK(ranges(build({g}), Level::leaf) == "[0,4)");
}

TEST_CASE("a million GPUs") {
  NodeGroup g = group(131072, 8, "h100");
  g.nodes_per_leaf = 32;
  g.leaves_per_pod = 8;
  const Fleet fleet = build({g});
  CHECK(fleet.gpus == 1048576);
  CHECK(fleet.domains[static_cast<std::size_t>(Level::leaf)].size() == 4096);
  CHECK(fleet.domains[static_cast<std::size_t>(Level::pod)].size() == 512);
  CHECK(fleet.node_names.empty());
}

TEST_CASE("any list of nodes: each domain is one range and holds exactly the nodes that name it") {
  std::mt19937 random{20260101};  // the standard fixes its output
  for (int round = 0; round < 200; ++round) {
    // A random tree, and its nodes in random order.
    std::vector<NamedNode> nodes;
    const auto below = [&](std::uint32_t n) { return random() % n; };
    for (std::uint32_t i = 0, n = 1 + below(40); i < n; ++i) {
      const std::string fabric = "F" + std::to_string(below(2));
      const std::string pod = fabric + "P" + std::to_string(below(3));
      const std::string leaf = pod + "L" + std::to_string(below(3));
      nodes.push_back(node(std::to_string(i), leaf, pod, fabric));
      if (below(2)) nodes.back().nvlink = leaf + "V" + std::to_string(below(2));
    }
    std::map<std::string, const NamedNode*> of;
    for (const NamedNode& node : nodes) of[node.id] = &node;

    const Fleet fleet = build(nodes);  // index() aborts if ranges are not a nested partition
    REQUIRE(fleet.nodes.size() == nodes.size());
    for (std::uint32_t i = 0; i < fleet.nodes.size(); ++i) {
      const NamedNode& node = *of.at(fleet.node_names[i]);
      const auto domain = [&](Level level) {
        const auto l = static_cast<std::size_t>(level);
        return fleet.domain_name(level, fleet.domain_of[l][NodeId{i}]);
      };
      REQUIRE(domain(Level::leaf) == node.leaf);
      REQUIRE(domain(Level::pod) == node.pod);
      REQUIRE(domain(Level::fabric) == node.fabric);
      if (!node.nvlink.empty()) REQUIRE(domain(Level::nvlink) == node.nvlink);
    }
    // Domains of a level in order of their first node, as far as the level above allows: fabrics
    // are free to follow the list.
    std::vector<std::string> fabrics;
    for (const NamedNode& node : nodes)
      if (std::find(fabrics.begin(), fabrics.end(), node.fabric) == fabrics.end())
        fabrics.push_back(node.fabric);
    REQUIRE(fleet.domain_names[static_cast<std::size_t>(Level::fabric)] == fabrics);
  }
}
