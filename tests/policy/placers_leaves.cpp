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

  Bench(const std::string& name, const std::string& spec)
      : fleet(load_fleet(spec)), placer(Placers::all().at(name).make(1)) {}

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
  /// "0 1 12": the nodes; with their GPUs, as 3:0b11, if it is not all of them.
  std::string choice(const Shape& shape, const Cutting& cutting = {}) {
    std::vector<Slice> slices;
    if (!placer->place(cluster, resolve(shape, Names{}, fleet, cutting), slices)) return "none";
    std::string text;
    for (const Slice& s : slices)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
        text += (text.empty() ? "" : " ") + std::to_string(n);
        if (count(s.gpus) < fleet.nodes[NodeId{n}].gpus)
          text += ":" + std::to_string(count(s.gpus));
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
  CHECK(b.choice(nodes(2, 3)) == "0:3 1:3");
  CHECK(b.choice(gpus(3)) == "0:3");    // leaf 0 has as many nodes with three free as the others
  CHECK(b.choice(gpus(4)) == "1");      // one idle node in leaf 0, two in others
  CHECK(b.choice(gpus(7)) == "0:3 1");  // node 1, and the rest on the same leaf
  Cutting any;
  any.span = Span::any;
  CHECK(b.choice(gpus(9), any) == "0:1 2 3");  // leaf 1, and then leaf 0 is tighter
  CHECK(b.choice(gpus(7), any) == "0:3 1");
}

TEST_CASE("last: the highest-numbered nodes, the lowest GPUs of each") {
  Bench b("last", "6x4:g/2");
  b.busy({4});
  b.busy_gpus(5, 0b0011);
  CHECK(b.choice(nodes(2)) == "2 3");
  CHECK(b.choice(nodes(2, 2)) == "3:2 5:2");
  CHECK(b.choice(gpus(6)) == "3 5:2");
  Cutting any;
  any.span = Span::any;
  CHECK(b.choice(gpus(3), any) == "3:1 5:2");
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
