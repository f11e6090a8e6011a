// Placers that go leaf by leaf: each choice worked out by hand.

#include "catch.hpp"
#include "muster/io/fleet.hpp"
#include "muster/policy/parts/placer.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;

namespace {

struct Bench {
  Fleet fleet;
  Cluster cluster{fleet, true};
  std::unique_ptr<Placer> placer;

  Bench(const std::string& name, Fleet on)
      : fleet(std::move(on)), placer(Placers::all().at(name).make(1)) {}
  Bench(const std::string& name, const std::string& spec) : Bench(name, load_fleet(spec)) {}

  void busy(std::initializer_list<std::uint32_t> nodes) {
    for (const std::uint32_t n : nodes) {
      const Slice s{NodeId{n}, 1, cluster.free(NodeId{n})};
      cluster.take({&s, 1});
    }
  }
  void busy_gpus(std::uint32_t node, GpuMask gpus) {
    const Slice s{NodeId{node}, 1, gpus};
    cluster.take({&s, 1});
  }
  /// "0 1 12": the nodes; with their GPUs, as 3:012, if it is not all of them.
  std::string choice(const Shape& shape, const Cutting& cutting = {}) {
    std::vector<Slice> slices;
    if (!placer->place(cluster, resolve(shape, Names{}, fleet, cutting), slices)) return "none";
    std::string text;
    for (const Slice& s : slices)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
        text += (text.empty() ? "" : " ") + std::to_string(n);
        if (count(s.gpus) == fleet.nodes[NodeId{n}].gpus) continue;
        text += ":";
        for (std::uint32_t g = 0; g < 64; ++g)
          if ((s.gpus >> g) & 1) text += std::to_string(g);
      }
    return text;
  }
};

Shape nodes(std::uint32_t n, std::uint32_t per_node = 0) {
  Shape s;
  s.nodes = n;
  s.gpus_per_node = per_node;
  return s;
}
Shape gpus(std::uint32_t n) {
  Shape s;
  s.gpus = n;
  return s;
}

}  // namespace

TEST_CASE("topology_tree: the leaf with the fewest nodes that are enough") {
  Bench b("topology_tree", "12x1:g/4");
  b.busy({0, 4, 5});
  CHECK(b.choice(nodes(2)) == "6 7");
  CHECK(b.choice(nodes(3)) == "1 2 3");
  CHECK(b.choice(nodes(4)) == "8 9 10 11");
}

TEST_CASE("topology_tree: where no leaf is enough, the pod that is; there the largest leaf first") {
  // Pods of three leaves of two nodes: 0..5 has five free, 6..11 all six.
  Bench b("topology_tree", "12x1:g/2/3");
  b.busy({0});
  CHECK(b.choice(nodes(3)) == "1 2 3");  // all of a leaf, then the tightest
  CHECK(b.choice(nodes(5)) == "1 2 3 4 5");
  // Six are in the second pod only, and its first leaf is taken. Then four are missing, for which the
  // first pod is enough, and the tighter one: as Slurm 22.05 has it, that counts for more than near.
  CHECK(b.choice(nodes(6)) == "2 3 4 5 6 7");
}

TEST_CASE("topology_tree: further leaves near those in use") {
  // Pods of two leaves of two. The first has three free nodes and is tight enough.
  Bench b("topology_tree", "8x1:g/2/2");
  b.busy({2});
  CHECK(b.choice(nodes(3)) == "0 1 3");
  b.busy({4, 6});
  CHECK(b.choice(nodes(2)) == "0 1");
  CHECK(b.choice(nodes(4)) == "0 1 3 5");  // all three others are tight; leaf 1 is the nearest
}

TEST_CASE("topology_tree: parts of nodes, and the remainder near the whole ones") {
  Bench b("topology_tree", "6x4:g/2");
  b.busy_gpus(0, 0b0001);
  CHECK(b.choice(nodes(2, 3)) == "0:123 1:012");
  CHECK(b.choice(gpus(3)) == "0:123");    // leaf 0 has as many nodes with three free as the others
  CHECK(b.choice(gpus(4)) == "1");        // one idle node in leaf 0, two in others
  CHECK(b.choice(gpus(7)) == "0:123 1");  // node 1, and the rest on the same leaf
  Cutting any;
  any.span = Span::any;
  CHECK(b.choice(gpus(9), any) == "0:1 2 3");  // leaf 1, and then leaf 0 is tighter
  CHECK(b.choice(gpus(7), any) == "0:123 1");
}

TEST_CASE("last: the highest-numbered nodes, the lowest GPUs of each") {
  Bench b("last", "6x4:g/2");
  b.busy({4});
  b.busy_gpus(5, 0b0011);
  CHECK(b.choice(nodes(2)) == "2 3");
  CHECK(b.choice(nodes(2, 2)) == "3:01 5:23");
  CHECK(b.choice(gpus(6)) == "3 5:23");
  Cutting any;
  any.span = Span::any;
  CHECK(b.choice(gpus(3), any) == "3:0 5:23");
  Cutting in_leaf;
  in_leaf.required = Level::leaf;
  CHECK(b.choice(nodes(2), in_leaf) == "2 3");
  b.busy({0, 1, 2, 3});
  CHECK(b.choice(gpus(3)) == "none");
}

TEST_CASE("topology_tree inside one domain") {
  Bench b("topology_tree", "12x1:g/2/3");
  b.busy({0, 7});
  Cutting in_pod;
  in_pod.required = Level::pod;
  CHECK(b.choice(nodes(4), in_pod) == "2 3 4 5");
  CHECK(b.choice(nodes(6), in_pod) == "none");
}

TEST_CASE("topology_block: the smallest size of block that holds the gang, and the fullest of it") {
  Bench b("topology_block", "16x1:g/2");  // blocks of 2, 4, 8 and 16 nodes
  CHECK(b.choice(nodes(2)) == "14 15");   // all alike: the last
  CHECK(b.choice(nodes(3)) == "12 14 15");
  b.busy({4, 8});
  CHECK(b.choice(nodes(1)) == "9");
  CHECK(b.choice(nodes(3)) == "9 10 11");  // of the two with three left, the last
  CHECK(b.choice(nodes(7)) == "9 10 11 12 13 14 15");
  b.busy({5, 6});
  CHECK(b.choice(nodes(4)) == "12 13 14 15");
  CHECK(b.choice(nodes(8)) == "2 3 10 11 12 13 14 15");  // in no block of eight: Slurm would wait
}

TEST_CASE("topology_block: pods are blocks of as few leaves as it takes") {
  Bench b("topology_block", "16x1:g/2/4");
  b.busy({8, 10, 12, 14});
  // The second pod has four nodes too, and is fuller, but not on two leaves.
  CHECK(b.choice(nodes(4)) == "4 5 6 7");
  CHECK(b.choice(nodes(9)) == "0 1 2 3 4 5 6 7 15");
  b.busy({0, 2, 4, 6});
  CHECK(b.choice(nodes(4)) == "9 11 13 15");  // Slurm would wait
}

TEST_CASE("topology_block in one of two fabrics, which have no leaves") {
  Bench b("topology_block", parse_fleet(R"({"groups": [{"count": 4, "gpus": 1, "fabric": "F1"},
                                                    {"count": 3, "gpus": 1, "fabric": "F2"}]})",
                                        "f.json"));
  CHECK(b.choice(nodes(2)) == "4 5");
  CHECK(b.choice(nodes(4)) == "0 1 2 3");
}

TEST_CASE("topology_block: one node more near the others") {
  Bench b("topology_block", "8x2:g/2/2");
  b.busy_gpus(0, 0b01);
  CHECK(b.choice(gpus(3)) == "0:1 1");
  CHECK(b.choice(gpus(5)) == "4:0 6 7");
}

TEST_CASE("whole_leaves: idle leaves are for who fills them") {
  Bench b("whole_leaves", "12x1:g/4");
  b.busy({0, 4});
  CHECK(b.choice(nodes(2)) == "1 2");
  CHECK(b.choice(nodes(4)) == "8 9 10 11");
  CHECK(b.choice(nodes(5)) == "1 8 9 10 11");
  b.busy({1, 5});
  CHECK(b.choice(nodes(3)) == "2 3 6");
  CHECK(b.choice(nodes(7)) == "2 3 6 8 9 10 11");
  b.busy({2, 6});
  CHECK(b.choice(nodes(3)) == "8 9 10");  // the used ones are not enough
}

TEST_CASE("smallest_domain: of any level, and of its level the tightest") {
  Bench b("smallest_domain", "16x1:g/2/4");
  b.busy({0, 8, 9});
  CHECK(b.choice(nodes(1)) == "1");
  CHECK(b.choice(nodes(2)) == "2 3");
  CHECK(b.choice(nodes(3)) == "10 11 12");
  CHECK(b.choice(nodes(7)) == "1 2 3 4 5 6 7");
  CHECK(b.choice(nodes(8)) == "1 2 3 4 5 6 7 10");
  const Fleet racks = parse_fleet(
      R"({"groups": [{"count": 8, "gpus": 4, "nvlink_nodes": 2, "nodes_per_leaf": 4}]})", "f.json");
  Bench n("smallest_domain", racks);
  n.busy({0});
  CHECK(n.choice(nodes(2)) == "2 3");
  CHECK(n.choice(nodes(3)) == "1 2 3");
}

TEST_CASE("rail_aligned: the same GPUs of each node, the tightest nodes") {
  Bench b("rail_aligned", "4x4");
  b.busy_gpus(0, 0b0001);
  b.busy_gpus(1, 0b0011);
  b.busy_gpus(2, 0b1000);
  CHECK(b.choice(nodes(2, 2)) == "0:23 1:23");
  CHECK(b.choice(nodes(3, 2)) == "0:23 1:23 3:23");  // 1 and 2 would leave one GPU more
  CHECK(b.choice(nodes(2, 3)) == "2:012 3:012");
  CHECK(b.choice(nodes(1, 2)) == "1:23");
  CHECK(b.choice(nodes(4, 2)) == "0:12 1:23 2:01 3:01");  // no rails are free on all: as pack
  CHECK(b.choice(gpus(2)) == "1:23");
}

TEST_CASE("rail_aligned on nodes wider than eight: the lowest rails of some node") {
  Bench b("rail_aligned", "3x10");
  b.busy_gpus(0, 0b0000000011);
  b.busy_gpus(1, 0b0000000001);
  CHECK(b.choice(nodes(2, 8)) == "0:23456789 1:23456789");
}
