// The links of a fleet, the ways between its nodes, and what happens when links break.
#include "muster/topology/links.hpp"

#include <set>

#include "catch.hpp"
#include "muster/topology/builder.hpp"
#include "muster/topology/compile.hpp"

using namespace muster;

namespace {

/// Two pods of two leaves of two nodes, 2:1 up from the leaves and 4:1 from the pods.
NodeGroup rails() {
  NodeGroup group;
  group.count = 8;
  group.gpus = 8;
  group.gpu_type = "H100";
  group.nodes_per_leaf = 2;
  group.leaves_per_pod = 2;
  group.links.leaf.bytes_per_s = 400e9;
  group.links.pod.bytes_per_s = 400e9;
  group.links.node.latency = Duration{600};
  group.links.pod.latency = Duration{1000};
  return group;
}

Fleet build(const std::vector<NodeGroup>& groups) {
  GraphBuilder builder;
  for (const NodeGroup& g : groups) builder.add(g, "g");
  return compile(builder.take(), "test", "test");
}

std::string way(const Links& links, std::uint32_t from, std::uint32_t to, std::uint32_t rail) {
  std::vector<Links::Id> path;
  const std::uint32_t taken = links.route(NodeId{from}, NodeId{to}, rail, path);
  if (taken == Links::kNone) return "none";
  std::string text = "rail " + std::to_string(taken) + ":";
  for (const Links::Id link : path) text += " [" + links.name(link) + "]";
  return text;
}

}  // namespace

TEST_CASE("every link has one number, one name and what it carries") {
  NodeGroup bare = rails();
  bare.count = 2;
  bare.wiring.nics = 0;
  NodeGroup shared = rails();
  shared.count = 3;
  shared.gpu_type = "V100";  // 4 NICs
  shared.wiring.rails = false;
  shared.wiring.storage_bytes_per_s = 2e9;
  const Fleet fleet = GENERATE_COPY(build({rails()}), build({rails(), bare, shared}));
  const Links links(fleet);
  std::set<std::string> names;
  for (Links::Id link = 0; link < links.size(); ++link) names.insert(links.name(link));
  CHECK(names.size() == links.size());
  CHECK(links.name(links.nic(NodeId{5}, 3)) == "NIC 3 of n5");
  CHECK(links.name(links.up(Level::leaf, 2, 7)) == "rail 7 of leaf 2");
  CHECK(links.name(links.up(Level::pod, 1, 0)) == "rail 0 of pod 1");
  CHECK(links.capacity(links.nic(NodeId{5}, 3)) == 50e9);
  CHECK(links.capacity(links.up(Level::leaf, 2, 7)) == 50e9);
  CHECK(links.latency(links.nic(NodeId{0}, 0)) == Duration{600});
  CHECK(links.latency(links.up(Level::pod, 1, 0)) == Duration{1000});
  CHECK(links.latency(links.up(Level::leaf, 1, 0)) == kUnknown);
  if (fleet.nodes.size() == 8) return;
  CHECK(links.name(links.nic(NodeId{11}, 3)) == "NIC 3 of n11");
  CHECK(links.rails(Level::leaf, 5) == 1);
  CHECK(links.name(links.up(Level::leaf, 5, 0)) == "uplink of leaf 5");
  CHECK(links.capacity(links.up(Level::leaf, 5, 0)) == 400e9);
  CHECK(links.capacity(links.storage(0)) == 6e9);
  shared.links.storage_bytes_per_s = 5e9;
  const Fleet said = build({rails(), shared});
  CHECK(Links(said).capacity(Links(said).storage(0)) == 5e9);
}

TEST_CASE("a way goes up as far as it must") {
  const Fleet fleet = build({rails()});
  const Links links(fleet);
  CHECK(way(links, 3, 3, 2) == "rail 2:");
  CHECK(way(links, 0, 1, 2) == "rail 2: [NIC 2 of n0] [NIC 2 of n1]");
  CHECK(way(links, 0, 2, 2) ==
        "rail 2: [NIC 2 of n0] [rail 2 of leaf 0] [rail 2 of leaf 1] [NIC 2 of n2]");
  CHECK(way(links, 1, 7, 0) ==
        "rail 0: [NIC 0 of n1] [rail 0 of leaf 0] [rail 0 of pod 0] [rail 0 of pod 1] "
        "[rail 0 of leaf 3] [NIC 0 of n7]");
}

TEST_CASE("NVLink domains wider than a node are left only when their links break") {
  NodeGroup racks;
  racks.count = 4;
  racks.gpus = 4;
  racks.gpu_type = "GB200";
  racks.nvlink_nodes = 2;
  const Fleet fleet = build({racks});
  Links links(fleet);
  CHECK(way(links, 0, 1, 3) == "rail 3: [NVLink of n0] [NVLink of n1]");
  CHECK(links.capacity(links.nvlink(NodeId{0})) == 3600e9);
  CHECK(way(links, 1, 2, 3) == "rail 3: [NIC 3 of n1] [NIC 3 of n2]");
  links.set_health(links.nvlink(NodeId{1}), 0);
  CHECK(way(links, 0, 1, 3) == "rail 3: [NIC 3 of n0] [NIC 3 of n1]");
}

TEST_CASE("fabrics are not connected") {
  NodeGroup a = rails(), b = rails();
  a.fabric = "A";
  b.fabric = "B";
  const Fleet fleet = build({a, b});
  CHECK(way(Links(fleet), 0, 8, 0) == "none");
}

TEST_CASE("a link that is degraded carries less; around one that is broken goes another rail") {
  const Fleet fleet = build({rails()});
  Links links(fleet);
  const Links::Id uplink = links.up(Level::leaf, 1, 2);
  links.set_health(uplink, 0.75);  // one of four cables
  CHECK(links.capacity(uplink) == 37.5e9);
  CHECK(way(links, 0, 2, 2).starts_with("rail 2:"));
  links.set_health(uplink, 0);
  CHECK(way(links, 0, 2, 2) ==
        "rail 3: [NIC 3 of n0] [rail 3 of leaf 0] [rail 3 of leaf 1] [NIC 3 of n2]");
  CHECK(way(links, 2, 3, 2).starts_with("rail 2:"));  // below the leaf
  links.set_health(links.nic(NodeId{0}, 3), 0);
  CHECK(way(links, 0, 2, 2).starts_with("rail 4:"));
  links.set_health(uplink, 1);
  CHECK(way(links, 0, 2, 2).starts_with("rail 2:"));
  CHECK(links.capacity(uplink) == 50e9);
}

TEST_CASE("without PXN a rail that is broken is the end of the way") {
  NodeGroup group = rails();
  group.wiring.pxn = false;
  const Fleet fleet = build({group});
  Links links(fleet);
  links.set_health(links.up(Level::leaf, 1, 2), 0);
  CHECK(way(links, 0, 2, 2) == "none");
  CHECK(way(links, 0, 2, 3).starts_with("rail 3:"));
}
