// Each way in which a graph can fail to be a fleet, with the whole message.
#include <limits>

#include "catch.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/compile.hpp"
#include "muster/topology/graph.hpp"

using namespace muster;
using namespace muster::test;

namespace {

using Part = FleetGraph::Part;
using Vertex = FleetGraph::Vertex;

/// Node "a" below leaf "A" below pod "P" below fabric "F": the smallest fleet. Tests spoil it.
struct Small {
  FleetGraph graph;
  std::uint32_t type = graph.gpu_type("");
  Vertex fabric = graph.add_switch(Part::core, "F");
  Vertex pod = graph.add_switch(Part::pod, "P");
  Vertex leaf = graph.add_switch(Part::leaf, "A");
  Vertex node = add_node("a");

  Small() {
    graph.connect(pod, fabric);
    graph.connect(leaf, pod);
    graph.connect(node, leaf);
  }
  Vertex add_node(const std::string& name, std::uint32_t gpus = 8) {
    return graph.add_node(name, gpus, type);
  }
  std::string message() const {
    try {
      graph.validate("f.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

}  // namespace

TEST_CASE("the smallest fleet is valid") {
  const Small small;
  CHECK(small.message().empty());
  CHECK(compile(small.graph, "small", "f.json").gpus == 8);
  CHECK(small.graph.vertices() == 4);
  CHECK(small.graph.links() == 3);
}

TEST_CASE("a fleet without nodes") {
  CHECK_THROWS_WITH(FleetGraph{}.validate("f.json"),
                    "f.json: the fleet has no nodes\n"
                    "    a fleet is at least one node of 1 GPU");
}

TEST_CASE("a node without GPUs, or with more than a mask has bits") {
  Small small;
  small.add_node("b", GENERATE(0u, 65u));
  CHECK_THAT(small.message(),
             StartsWith("f.json: node \"b\" has ") && EndsWith(" GPUs; expected 1 to 64"));
}

TEST_CASE("more GPU types than a pool mask has bits") {
  Small small;
  for (int i = 1; i < 64; ++i) small.graph.gpu_type("t" + std::to_string(i));
  CHECK(small.message().empty());
  small.graph.gpu_type("t64");
  CHECK(small.message() ==
        "f.json: the fleet has 65 GPU types; expected at most 64\n"
        "    GPUs that jobs may use alike can share a type");
}

TEST_CASE("two nodes of one name, two leaves of one name") {
  Small small;
  SECTION("nodes") {
    small.graph.connect(small.add_node("a"), small.leaf);
    CHECK(small.message() ==
          "f.json: there are two of node \"a\"\n    names are unique among those of a kind");
  }
  SECTION("leaves") {
    small.graph.connect(small.graph.add_switch(Part::leaf, "A"), small.pod);
    CHECK(small.message() ==
          "f.json: there are two of leaf \"A\"\n    names are unique among those of a kind");
  }
  SECTION("a node and a leaf may share one") {
    small.graph.connect(small.add_node("A"), small.leaf);
    CHECK(small.message().empty());
  }
}

TEST_CASE("a self loop") {
  Small small;
  small.graph.connect(small.leaf, small.leaf);
  CHECK(small.message() == "f.json: leaf \"A\" is linked to itself");
}

TEST_CASE("a link that skips a level, or stays on one") {
  Small small;
  SECTION("skips") {
    small.graph.connect(small.node, small.pod);
    CHECK(small.message() ==
          "f.json: node \"a\" is linked to pod \"P\"\n"
          "    links go node - leaf - pod - fabric, and node - NVLink domain");
  }
  SECTION("stays") {
    const Vertex other = small.graph.add_switch(Part::core, "G");
    small.graph.connect(other, small.fabric);
    CHECK(small.message() ==
          "f.json: fabric \"G\" is linked to fabric \"F\"\n"
          "    links go node - leaf - pod - fabric, and node - NVLink domain");
  }
}

TEST_CASE("a link that is there twice") {
  Small small;
  small.graph.connect(small.leaf, small.node);
  CHECK(small.message() == "f.json: node \"a\" is linked to leaf \"A\" twice");
}

TEST_CASE("a node under two leaves") {
  Small small;
  const Vertex other = small.graph.add_switch(Part::leaf, "B");
  small.graph.connect(other, small.pod);
  small.graph.connect(small.node, other);
  CHECK(small.message() == "f.json: node \"a\" is under two: leaf \"A\" and leaf \"B\"");
}

TEST_CASE("a link that carries nothing") {
  Small small;
  const auto with = [&](double rate) {
    small.graph.connect(small.add_node("b"), small.leaf, {rate, kUnknown});
    return small.message();
  };
  SECTION("0") {
    CHECK(with(0) ==
          "f.json: the link of node \"b\" to leaf \"A\" carries 0 bytes/s; expected more than 0\n"
          "    leave the rate out if it is not known");
  }
  SECTION("negative") { CHECK_THAT(with(-0.5), ContainsSubstring("carries -1 bytes/s")); }
  SECTION("not a number") {
    CHECK_THAT(with(std::numeric_limits<double>::quiet_NaN()),
               ContainsSubstring("carries NaN bytes/s"));
  }
  SECTION("infinite") {
    CHECK_THAT(with(std::numeric_limits<double>::infinity()),
               ContainsSubstring("carries infinite bytes/s"));
  }
  SECTION("enough") { CHECK(with(1).empty()); }
}

TEST_CASE("storage that gives nothing") {
  Small small;
  small.graph.set_storage(small.fabric, 0);
  CHECK(small.message() ==
        "f.json: the storage of fabric \"F\" gives 0 bytes/s; expected more than 0\n"
        "    leave the rate out if it is not known");
}

TEST_CASE("a negative latency") {
  Small small;
  small.graph.connect(small.add_node("b"), small.leaf, {{}, Duration{-2}});
  CHECK(small.message() ==
        "f.json: the link of node \"b\" to leaf \"A\" has a latency of -2 ns; expected 0 or more");
}

TEST_CASE("an empty domain, of each kind") {
  Small small;
  const auto [part, name] = GENERATE(table<Part, std::string>({{Part::nvlink, "NVLink domain"},
                                                               {Part::leaf, "leaf"},
                                                               {Part::pod, "pod"},
                                                               {Part::core, "fabric"}}));
  const Vertex empty = small.graph.add_switch(part, "E");
  if (part == Part::leaf) small.graph.connect(empty, small.pod);
  if (part == Part::pod) small.graph.connect(empty, small.fabric);
  CHECK(small.message() == "f.json: " + name + " \"E\" is empty: nothing is linked below it");
}

TEST_CASE("what is connected to nothing, of each kind") {
  Small small;
  SECTION("node") {
    small.add_node("b");
    CHECK(small.message() ==
          "f.json: node \"b\" is linked to no leaf, so it is connected to nothing\n"
          "    a level that the fleet does not have is one leaf for all");
  }
  SECTION("leaf") {
    const Vertex leaf = small.graph.add_switch(Part::leaf, "");
    small.graph.connect(small.add_node("b"), leaf);
    CHECK(small.message() ==
          "f.json: leaf 1 is linked to no pod, so it is connected to nothing\n"
          "    a level that the fleet does not have is one pod for all");
  }
  SECTION("pod") {
    const Vertex pod = small.graph.add_switch(Part::pod, "Q");
    const Vertex leaf = small.graph.add_switch(Part::leaf, "B");
    small.graph.connect(leaf, pod);
    small.graph.connect(small.add_node("b"), leaf);
    CHECK(small.message() ==
          "f.json: pod \"Q\" is linked to no fabric, so it is connected to nothing\n"
          "    a level that the fleet does not have is one fabric for all");
  }
}

TEST_CASE("an NVLink domain under two leaves") {
  Small small;
  const Vertex other = small.graph.add_switch(Part::leaf, "B");
  small.graph.connect(other, small.pod);
  const Vertex b = small.add_node("b");
  small.graph.connect(b, other);
  const Vertex nvlink = small.graph.add_switch(Part::nvlink, "V");
  small.graph.connect(small.node, nvlink);
  small.graph.connect(b, nvlink);
  CHECK(small.message() ==
        "f.json: NVLink domain \"V\" is under two: leaf \"A\" (node \"a\") and leaf \"B\" (node "
        "\"b\")\n"
        "    an NVLink domain is under one leaf");
}

TEST_CASE("a name that is that of a node without a name") {
  Small small;
  small.graph.connect(small.add_node("n2"), small.leaf);
  small.graph.connect(small.add_node(""), small.leaf);
  CHECK_THROWS_WITH(compile(small.graph, "", "f.json"),
                    "f.json: there are two of node \"n2\"\n"
                    "    nodes without a name are called n0, n1, ...: use other names");
}
