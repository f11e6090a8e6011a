#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"

using namespace muster;

namespace {

std::size_t domains(const Fleet& fleet, Level level) {
  return fleet.domains[static_cast<std::size_t>(level)].size();
}

}  // namespace

TEST_CASE("64x8 is 64 nodes of 8 GPUs under one leaf") {
  const Fleet fleet = load_fleet("64x8");
  CHECK(fleet.name == "64x8");
  CHECK(fleet.nodes.size() == 64);
  CHECK(fleet.gpus == 512);
  CHECK(domains(fleet, Level::leaf) == 1);
  CHECK(domains(fleet, Level::nvlink) == 64);
}

TEST_CASE("type, leaves and pods") {
  const Fleet fleet = load_fleet("1024x8:h100/32/8");
  CHECK(fleet.pools.at(0).gpu_type == "h100");
  CHECK(domains(fleet, Level::leaf) == 32);
  CHECK(domains(fleet, Level::pod) == 4);
  CHECK(domains(fleet, Level::fabric) == 1);
}

TEST_CASE("leaves without a type") {
  const Fleet fleet = load_fleet("8x8:/4");
  CHECK(fleet.pools.at(0).gpu_type.empty());
  CHECK(domains(fleet, Level::leaf) == 2);
}

TEST_CASE("groups joined by +") {
  const Fleet fleet = load_fleet("250x8:v100+245x2:p100");
  CHECK(fleet.gpus == 2490);
  REQUIRE(fleet.pools.size() == 2);
  CHECK(fleet.pools[0].gpus == 2000);
  CHECK(fleet.pools[1].gpus == 490);
  CHECK(domains(fleet, Level::leaf) == 1);
}

TEST_CASE("the shorthand and Fleet::uniform are the same fleet") {
  const Fleet a = load_fleet("5x4"), b = Fleet::uniform(5, 4);
  CHECK(a.name == b.name);
  CHECK(a.gpus == b.gpus);
  CHECK(a.domains == b.domains);
  CHECK(a.domain_names == b.domain_names);
  CHECK(a.node_names == b.node_names);
}

TEST_CASE("a shorthand that is not one") {
  const auto [spec, message] = GENERATE(table<std::string, std::string>({
      {"64x", "fleet \"64x\": expected the GPUs of a node at the end"},
      {"64x8:h100/", "fleet \"64x8:h100/\": expected the nodes of a leaf at the end"},
      {"64x8:h100/a", "fleet \"64x8:h100/a\": expected the nodes of a leaf at \"a\""},
      {"64x8:h100/0",
       "fleet \"64x8:h100/0\": the nodes of a leaf are 0; expected 1 or more at the end"},
      {"64x8:h100/8/2/2", "fleet \"64x8:h100/8/2/2\": expected the end at \"/2\""},
      {"64x8,4x4", "fleet \"64x8,4x4\": expected the end at \",4x4\""},
      {"64x8+", "fleet \"\": expected the number of nodes at the end"},
      {"1x99999999999999999999",
       "fleet \"1x99999999999999999999\": the GPUs of a node is too large a number at "
       "\"99999999999999999999\""},
  }));
  CHECK_THROWS_WITH(
      load_fleet(spec),
      message +
          "\n    NODESxGPUS[:TYPE[/NODES_PER_LEAF[/LEAVES_PER_POD]]], joined by +: 64x8, "
          "1024x8:h100/32/8, 250x8:v100+245x2:p100");
}

TEST_CASE("a shorthand for no fleet there can be") {
  CHECK_THROWS_WITH(load_fleet("64x0"),
                    "fleet \"64x0\": a node of 0 GPUs; expected 1 to 64\n"
                    "    nodes without GPUs are not part of a fleet: leave them out");
  CHECK_THROWS_WITH(load_fleet("2x8+9999999x8"),
                    "fleet \"9999999x8\": 9999999 nodes; expected 1 to 4194304");
}
