// What is inside a node and below it.
#include "muster/topology/wiring.hpp"

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/builder.hpp"
#include "muster/topology/compile.hpp"
#include "muster/topology/fabric.hpp"

using namespace muster;

namespace {

NodeGroup group(std::uint64_t count, std::uint64_t gpus, std::string type) {
  NodeGroup group;
  group.count = count;
  group.gpus = gpus;
  group.gpu_type = std::move(type);
  return group;
}

Fleet build(const std::vector<NodeGroup>& groups) {
  GraphBuilder builder;
  for (const NodeGroup& g : groups) builder.add(g, "g");
  return compile(builder.take(), "test", "test");
}

/// "8 GPUs, nvswitch, 8 NICs of 50"
std::string line(const Wiring& w) {
  return std::to_string(w.gpus) + " GPUs, " + std::string{name(w.interconnect)} + ", " +
         std::to_string(w.nics) + " NICs of " +
         std::to_string(static_cast<int>(w.nic_bytes_per_s / 1e8)) + "00 MB/s";
}

}  // namespace

TEST_CASE("nodes of a known type of GPU have its usual wiring, however the type is written") {
  CHECK(line(default_wiring("H100-SXM-80", 8)) == "8 GPUs, nvswitch, 8 NICs of 50000 MB/s");
  CHECK(line(default_wiring("h100", 8)) == "8 GPUs, nvswitch, 8 NICs of 50000 MB/s");
  CHECK(line(default_wiring("NVIDIA-A100-SXM4-80GB", 4)) ==
        "4 GPUs, nvswitch, 4 NICs of 25000 MB/s");
  CHECK(line(default_wiring("A100-PCIe-80", 4)) == "4 GPUs, pcie, 1 NICs of 12500 MB/s");
  CHECK(line(default_wiring("A10", 4)) == "4 GPUs, pcie, 1 NICs of 12500 MB/s");
  CHECK(line(default_wiring("V100M32", 8)) == "8 GPUs, mesh, 4 NICs of 12500 MB/s");
  CHECK(line(default_wiring("V100", 16)) == "16 GPUs, nvswitch, 8 NICs of 12500 MB/s");
  CHECK(line(default_wiring("GB300", 4)) == "4 GPUs, nvswitch, 4 NICs of 100000 MB/s");
  CHECK(line(default_wiring("P100", 1)) == "1 GPUs, none, 1 NICs of 12500 MB/s");
  CHECK(default_wiring("H100", 8).gpu_bytes_per_s == 450e9);
  CHECK(default_wiring("H100", 8).rails);
  CHECK(default_wiring("H100", 8).pxn);
  CHECK_FALSE(default_wiring("A10", 8).rails);
  CHECK(default_wiring("warp core", 8).source.starts_with("assumed"));
}

TEST_CASE("NICs serve the GPUs evenly, in order") {
  Wiring w = default_wiring("V100", 8);  // 4 NICs
  CHECK(w.gpus_of_nic(0) == 0b0000'0011);
  CHECK(w.gpus_of_nic(3) == 0b1100'0000);
  CHECK(w.nics_of_gpu(5).first == 2);
  CHECK(w.nics_of(0b0000'0011) == 1);
  CHECK(w.nics_of(0b0001'0101) == 3);
  w.nics = 32;  // as AWS P5
  CHECK(w.nics_of_gpu(1).first == 4);
  CHECK(w.nics_of_gpu(1).count == 4);
  CHECK(w.gpus_of_nic(31) == 0b1000'0000);
  CHECK(w.nics_of(0b1000'0001) == 8);
  w.nics = 0;
  CHECK(w.nics_of(0xFF) == 0);
}

TEST_CASE("which two GPUs matters, except behind switches") {
  const Wiring dgx1 = default_wiring("V100", 8);
  CHECK(dgx1.between(0, 3) == 50e9);  // two links of 25 GB/s
  CHECK(dgx1.between(0, 1) == 25e9);
  CHECK(dgx1.between(0, 7) == 16e9);  // PCIe
  for (std::uint32_t a = 0; a < 8; ++a) {
    double sum = 0;
    for (std::uint32_t b = 0; b < 8; ++b)
      if (a != b && dgx1.between(a, b) > dgx1.pcie_bytes_per_s) sum += dgx1.between(a, b);
    CHECK(sum == dgx1.gpu_bytes_per_s);
    for (std::uint32_t b = 0; b < a; ++b) CHECK(dgx1.between(a, b) == dgx1.between(b, a));
  }
  CHECK(default_wiring("H100", 8).between(0, 7) == 450e9);
  CHECK(default_wiring("MI300X", 8).between(0, 7) == 64e9);
  Wiring pairs = default_wiring("A100-PCIe", 4);
  pairs.interconnect = Interconnect::pcie_pairs;
  pairs.gpu_bytes_per_s = 300e9;
  CHECK(pairs.between(2, 3) == 300e9);
  CHECK(pairs.between(1, 2) == 31e9);
}

TEST_CASE("a fleet knows the wiring of each node; nodes that are alike share one") {
  NodeGroup own = group(2, 8, "H100");
  own.wiring.nics = 4;
  own.wiring.storage_bytes_per_s = 10e9;
  own.links.nvlink.bytes_per_s = 100e9;  // of no use here: no domain is wider than a node
  NodeGroup rack = group(4, 4, "GB200");
  rack.nvlink_nodes = 2;
  NodeGroup linked = group(1, 8, "A100");
  linked.links.node.bytes_per_s = 400e9;
  const Fleet fleet = build({group(3, 8, "H100"), own, rack, linked});
  CHECK(line(fleet.wiring(NodeId{2})) == "8 GPUs, nvswitch, 8 NICs of 50000 MB/s");
  CHECK(&fleet.wiring(NodeId{0}) == &fleet.wiring(NodeId{2}));
  CHECK(line(fleet.wiring(NodeId{3})) == "8 GPUs, nvswitch, 4 NICs of 100000 MB/s");
  CHECK(fleet.wiring(NodeId{3}).storage_bytes_per_s == 10e9);
  CHECK(fleet.wiring(NodeId{3}).nvlink_bytes_per_s == 0);
  CHECK(fleet.wiring(NodeId{5}).nvlink_bytes_per_s == 3600e9);
  CHECK(line(fleet.wiring(NodeId{9})) == "8 GPUs, nvswitch, 8 NICs of 50000 MB/s");
  CHECK(Fleet::uniform(2, 8).wiring(NodeId{1}).gpus == 8);
}

TEST_CASE("a domain is oversubscribed as many times as its nodes send more than its links carry") {
  NodeGroup g = group(10, 8, "H100");
  g.nodes_per_leaf = 4;
  g.leaves_per_pod = 2;
  g.links.leaf.bytes_per_s = 800e9;
  const Fleet fleet = build({g});
  CHECK(bytes_per_s_below(fleet, Level::node, 3) == 400e9);
  CHECK(bytes_per_s_below(fleet, Level::pod, 0) == 3200e9);
  CHECK(oversubscription(fleet, Level::leaf, 0) == 2);
  CHECK(oversubscription(fleet, Level::leaf, 2) == 1);  // half full
  CHECK(oversubscription(fleet, Level::pod, 0) == 1);   // it does not say
  CHECK(oversubscription(Fleet::uniform(4, 8), Level::leaf, 0) == 1);
}

TEST_CASE("wiring that contradicts itself is refused") {
  NodeGroup g = group(2, 8, "H100");
  SECTION("NICs and GPUs") {
    g.wiring.nics = 3;
    CHECK_THROWS_WITH(build({g}),
                      "g: 3 NICs for 8 GPUs: each NIC should serve as many GPUs as the others\n"
                      "    one of the numbers is a multiple of the other");
  }
  SECTION("no NICs, but a link") {
    g.wiring.nics = 0;
    g.links.node.bytes_per_s = 1e9;
    CHECK_THROWS_WITH(build({g}),
                      "g: the nodes have a link to their leaf, but no NICs\n"
                      "    say \"nics\" in \"wiring\", or leave out the link");
  }
  SECTION("two rates") {
    g.wiring.nic_bytes_per_s = 50e9;
    g.links.node.bytes_per_s = 300e9;
    CHECK_THROWS_WITH(
        build({g}),
        "g: the link of a node to its leaf carries another rate than its 8 NICs together\n"
        "    say one of them");
  }
  SECTION("PXN alone") {
    g.wiring.pxn = true;
    g.wiring.rails = false;
    CHECK_THROWS_WITH(build({g}),
                      "g: \"pxn\" without \"rails\"\n"
                      "    PXN moves data to the GPU of another rail: it needs rails");
  }
  SECTION("a wide mesh") {
    g.gpus = 16;
    g.wiring.interconnect = Interconnect::mesh;
    CHECK_THROWS_WITH(build({g}),
                      "g: a mesh of 16 GPUs; expected at most 8\n"
                      "    a mesh is the one of a DGX-1; wider nodes have switches: \"nvswitch\"");
  }
}
