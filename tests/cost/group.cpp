// What of a fleet and a placement the cost model sees.

#include "muster/cost/group.hpp"

#include "catch.hpp"
#include "muster/io/calibration.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/fleet.hpp"

using namespace muster;
using namespace muster::test;

namespace {

GpuGroup group_on(const Fleet& fleet, const std::string& placement) {
  static const Calibration published = load_calibration("published");
  return CostMap(fleet, published).group(parse_placement(fleet, placement, "placement"));
}
GpuGroup group_on(const std::string& fleet, const std::string& placement) {
  return group_on(load_fleet(fleet), placement);
}

}  // namespace

TEST_CASE("a group counts GPUs, nodes and domains") {
  const GpuGroup whole = group_on("4x8:h100", "4x8");
  CHECK(whole.gpus == 32);
  CHECK(whole.nodes == 4);
  CHECK(whole.domains == 4);
  CHECK(whole.in_switch);
  CHECK(whole.link_rate == Approx(450));
  CHECK(whole.rails_rate == Approx(400));
  CHECK(whole.nic_rate == Approx(50));

  const GpuGroup uneven = group_on("4x8:h100", "3+5");
  CHECK(uneven.least == 3);
  CHECK(uneven.most == 5);
  CHECK(uneven.rails_rate == Approx(150));  // three rails of the first node
}

TEST_CASE("many nodes that are alike are as many nodes one by one") {
  const Fleet fleet = load_fleet("6x8:h100+3x4:a100+6x8:h100");
  GpuGroup whole = group_on(fleet, "12x8+3x4");
  CHECK(whole.gpus == 108);
  CHECK(whole.nodes == 15);
  CHECK(whole.domains == 15);
  CHECK(whole.least == 4);
  CHECK(whole.link_rate == Approx(300));
  CHECK(whole.rails_rate == Approx(100));
  std::vector<Slice> one_by_one;
  for (std::uint32_t n = 0; n < 15; ++n)
    one_by_one.push_back({NodeId{n}, 1, first_gpus(n >= 6 && n < 9 ? 4 : 8)});
  static const Calibration published = load_calibration("published");
  CHECK(CostMap(fleet, published).group(one_by_one) == whole);
}

TEST_CASE("several GPUs share a NIC: rails are counted by what is behind them") {
  const GpuGroup four = group_on("2x8:a800", "4+4");
  CHECK(four.rails_rate == Approx(50));  // NICs 0 and 1 of each node
  CHECK(four.nic_rate == Approx(12.5));
  CHECK(group_on("2x8:a800", "n0:0,2,4,6+n1:0,1").rails_rate == Approx(25));
  CHECK(group_on("2x8:a800", "n0:0,2+n1:0,2").rails_rate == Approx(50));
}

TEST_CASE("an NVLink domain wider than a node is one domain") {
  const GpuGroup rack = group_on("gb200-nvl72", "18x4");
  CHECK(rack.nodes == 18);
  CHECK(rack.domains == 1);
  CHECK(rack.gpus == 72);
  CHECK(rack.in_switch);
  CHECK(group_on("gb200-nvl72", "19x4").domains == 2);
  // One GPU of each of two trays is still inside.
  CHECK(group_on("gb200-nvl72", "1+1").domains == 1);
}

TEST_CASE("in a mesh it matters which GPUs") {
  // vTrain measured 22.5 GB/s on 2 GPUs, 45 on 3, 85 on 4, 45 on 6, 87 on 7 and 134 on 8: rings of
  // 22.5 GB/s, of which a DGX-1 has 1, 2, 4, 2, 4 and 6; of five no ring goes through all.
  const std::vector<std::pair<const char*, double>> rings{{"2", 1}, {"3", 2}, {"4", 4},
                                                          {"6", 2}, {"7", 4}, {"8", 6}};
  for (const auto& [placement, count] : rings) {
    CAPTURE(placement);
    CHECK(group_on("1x8:v100", placement).link_rate == Approx(25 * count));
    CHECK(group_on("1x8:v100", placement).tree_rate == 0);
  }
  CHECK(group_on("1x8:v100", "5").tree_rate == Approx(25));
  CHECK(group_on("1x8:v100", "n0:0,3").link_rate == Approx(50));  // two links
  CHECK(group_on("1x8:v100", "n0:0,5").link_rate == Approx(16));  // none: PCIe
  CHECK(group_on("1x8:v100", "n0:0,3").links != group_on("1x8:v100", "n0:0,5").links);
}

TEST_CASE("beyond an oversubscribed leaf there is less") {
  const Fleet fleet = parse_fleet(
      R"({"name": "two leaves", "links": {"leaf": {"gbytes_per_s": 800}},
          "groups": [{"count": 8, "gpus": 8, "gpu_type": "h100", "nodes_per_leaf": 4}]})",
      "fleet");
  CHECK(group_on(fleet, "4x8").spine_share == 1);                       // one leaf
  CHECK(group_on(fleet, "5x8").spine_share == Approx(800.0 / 1600.0));  // across
  CHECK(group_on(fleet, "4x8").alltoall_share == 1);                    // PXN keeps it on its rails
}

TEST_CASE("the slowest type of GPU sets the pace") {
  const GpuGroup mixed = group_on("1x8:h100+1x8:a100", "8+8");
  CHECK(mixed.link_rate == Approx(300));
  CHECK(mixed.rails_rate == Approx(200));
}

TEST_CASE("rings in small meshes") {
  using Links = std::vector<std::vector<std::uint32_t>>;
  CHECK(rings_in_mesh(Links{{0, 3}, {3, 0}}) == 3);
  CHECK(rings_in_mesh(Links{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}) == 2);  // there and back
  CHECK(rings_in_mesh(Links{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}}) == 0);  // a chain
  // Complete graph of five: two cycles that share no link.
  Links five(5, std::vector<std::uint32_t>(5, 1));
  for (std::size_t i = 0; i < 5; ++i) five[i][i] = 0;
  CHECK(rings_in_mesh(five) == 4);
}
