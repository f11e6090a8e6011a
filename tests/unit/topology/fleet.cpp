#include "muster/topology/fleet.hpp"

#include "catch.hpp"

using namespace muster;

namespace {

const std::vector<NodeRange>& domains(const Fleet& fleet, Level level) {
  return fleet.domains[static_cast<std::size_t>(level)];
}

}  // namespace

TEST_CASE("a uniform fleet is one leaf, one pod, one fabric, one pool") {
  const Fleet fleet = Fleet::uniform(64, 8);
  CHECK(fleet.name == "64x8");
  CHECK(fleet.nodes.size() == 64);
  CHECK(fleet.gpus == 512);
  CHECK(fleet.widest == 8);
  REQUIRE(fleet.pools.size() == 1);
  CHECK(fleet.pools[0].gpu_type.empty());
  CHECK(fleet.pools[0].gpus == 512);
  CHECK(fleet.pools[0].nodes == 64);
  CHECK(fleet.pools[0].widest == 8);
  CHECK(domains(fleet, Level::node).empty());
  CHECK(domains(fleet, Level::nvlink).size() == 64);
  for (const Level level : {Level::leaf, Level::pod, Level::fabric, Level::fleet})
    CHECK(domains(fleet, level) == std::vector<NodeRange>{{0, 64}});
  CHECK(fleet.node_name(NodeId{7}) == "n7");
}

TEST_CASE("index() counts per pool, and a level without domains repeats the level above it") {
  Fleet fleet;
  fleet.pools = {{"a", 9, 9, 9}, {"b", 9, 9, 9}};  // stale counts are recounted
  fleet.nodes.items() = {{8, 0}, {4, 1}, {2, 0}, {4, 1}};
  fleet.domains[static_cast<std::size_t>(Level::pod)] = {{0, 1}, {1, 4}};
  fleet.domain_names[static_cast<std::size_t>(Level::pod)] = {"P", ""};
  fleet.index();
  CHECK(fleet.gpus == 18);
  CHECK(fleet.pools[0].gpus == 10);
  CHECK(fleet.pools[0].nodes == 2);
  CHECK(fleet.pools[0].widest == 8);
  CHECK(fleet.pools[1].gpus == 8);
  CHECK(fleet.pools[1].widest == 4);
  CHECK(domains(fleet, Level::leaf) == domains(fleet, Level::pod));
  CHECK(domains(fleet, Level::fabric) == std::vector<NodeRange>{{0, 4}});
  const auto& leaf_of = fleet.domain_of[static_cast<std::size_t>(Level::leaf)];
  CHECK(leaf_of.items() == std::vector<std::uint32_t>{0, 1, 1, 1});
  CHECK(fleet.domain_of[static_cast<std::size_t>(Level::node)].empty());
}

TEST_CASE("a domain is called by its name, or by its level and number") {
  Fleet fleet = Fleet::uniform(4, 2);
  CHECK(fleet.domain_name(Level::node, 3) == "n3");
  CHECK(fleet.domain_name(Level::nvlink, 3) == "nvlink 3");
  CHECK(fleet.domain_name(Level::leaf, 0) == "leaf 0");
  CHECK(fleet.domain_name(Level::fleet, 0) == "fleet");
  fleet.node_names = {"a", "b", "c", "d"};
  fleet.domain_names[static_cast<std::size_t>(Level::leaf)] = {"rack A"};
  CHECK(fleet.domain_name(Level::node, 3) == "d");
  CHECK(fleet.domain_name(Level::leaf, 0) == "rack A");
}

TEST_CASE("levels have names") {
  std::string names;
  for (std::size_t level = 0; level < kLevels; ++level)
    names += std::string{name(static_cast<Level>(level))} + " ";
  CHECK(names == "node nvlink leaf pod fabric fleet ");
}
