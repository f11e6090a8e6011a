#include "muster/topology/describe.hpp"

#include "catch.hpp"
#include "muster/topology/builder.hpp"
#include "muster/topology/compile.hpp"

using namespace muster;

TEST_CASE("a fleet of two types as a table") {
  GraphBuilder builder;
  NodeGroup racks;
  racks.count = 20;
  racks.gpus = 4;
  racks.gpu_type = "GB200";
  racks.nvlink_nodes = racks.nodes_per_leaf = 18;
  builder.add(racks, "");
  NodeGroup rest;
  rest.count = 3;
  rest.gpus = 8;
  builder.add(rest, "");
  Fleet fleet = compile(builder.take(), "mixed", "");
  fleet.notes = {"2 nodes without GPUs are left out"};
  fleet.source = "inventory of 2026-01";
  CHECK(describe(fleet) == R"(mixed: 23 nodes, 104 GPUs

  GPU type     nodes  GPUs  GPUs per node
  GB200           20    80              4
  (not named)      3    24              8

  between GPUs  nodes  GPUs  GB/s  NICs  GB/s each  rails     from
  nvswitch         20     4   900     4         50    yes    known
  pcie              3     8    31     1       12.5     no  assumed

  level   domains  nodes each  GPUs each  up, GB/s  oversubscribed
  nvlink        5       1..18      8..72
  leaf          3       2..18      8..72       any               1
  pod           1          23        104       any               1
  fabric        1          23        104

  note: 2 nodes without GPUs are left out
  source: inventory of 2026-01
)");
}

TEST_CASE("one node of one GPU") {
  CHECK(describe(Fleet::uniform(1, 1)) == R"(1x1: 1 node, 1 GPU

  GPU type     nodes  GPUs  GPUs per node
  (not named)      1     1              1

  between GPUs  nodes  GPUs  GB/s  NICs  GB/s each  rails     from
  none              1     1    31     1       12.5     no  assumed

  level   domains  nodes each  GPUs each  up, GB/s  oversubscribed
  nvlink        1           1          1
  leaf          1           1          1       any               1
  pod           1           1          1       any               1
  fabric        1           1          1
)");
}

TEST_CASE("what stands out in a fleet that is right") {
  GraphBuilder builder;
  NodeGroup a;
  a.count = 4;
  a.gpus = 8;
  a.gpu_type = "H100";
  a.fabric = "A";
  a.nodes_per_leaf = 2;
  a.links.leaf.bytes_per_s = 200e9;
  builder.add(a, "");
  NodeGroup b;
  b.count = 1;
  b.gpus = 4;
  b.fabric = "B";
  builder.add(b, "");
  NodeGroup c = b;
  c.gpu_type = "A100";
  builder.add(c, "");
  const Fleet fleet = compile(builder.take(), "mixed", "");
  CHECK(remarks(fleet) ==
        std::vector<std::string>{
            "2 fabrics that are not connected: no gang can span them",
            "the uplinks of 2 of 3 leaves carry up to 4 times less than the nodes below can send",
            "the wiring of 1 nodes is assumed: their type of GPU is not known, and \"wiring\" does "
            "not say",
            "1 leaf has nodes with different numbers of rails: some have nobody to talk to on a "
            "rail"});
  CHECK(remarks(compile(
                    [] {
                      GraphBuilder plain;
                      NodeGroup g;
                      g.count = 2;
                      g.gpus = 8;
                      g.gpu_type = "H100";
                      plain.add(g, "");
                      return plain.take();
                    }(),
                    "", ""))
            .empty());
}

TEST_CASE("a drawing: switches, a few of what is alike, and the inside of each kind of node") {
  GraphBuilder builder;
  NodeGroup g;
  g.count = 20;
  g.gpus = 2;
  g.gpu_type = "V100";
  g.nodes_per_leaf = 18;
  g.prefix = "a\"";
  g.links.leaf.bytes_per_s = 100e9;
  builder.add(g, "");
  const std::string text = dot(compile(builder.take(), "two", ""));
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  CHECK(has("graph \"two\" {"));
  CHECK(has("fabric0 -- pod0;"));
  CHECK(has("pod0 -- leaf1 [label=\"100 GB/s\"];"));
  CHECK(has("node0 [label=\"a\\\"0\\n2 x V100\"];"));
  CHECK(has("leaf0 -- node7 [label=\"1 x 12.5 GB/s\"];"));
  CHECK_FALSE(has("node8 "));
  CHECK(has("leaf0rest [label=\"and 10 more nodes\""));
  CHECK(has("in a node: mesh"));
  CHECK(has("w1g0 -- w1g1 [label=\"150 GB/s\"];"));
  CHECK(has("w1g1 -- w1k0;"));
}

TEST_CASE("storage that fabrics share is in table and drawing where the fleet says what it gives") {
  GraphBuilder builder;
  NodeGroup g;
  g.count = 2;
  g.gpus = 8;
  g.gpu_type = "H100";
  g.fabric = "A";
  g.links.storage_bytes_per_s = 160e9;
  builder.add(g, "");
  const Fleet one = compile(builder.take(), "one", "");
  const auto table_ends = [&](const Fleet& fleet, const std::string& line) {
    return describe(fleet).ends_with("\n\n  " + line + "\n");
  };
  CHECK(table_ends(one, "storage of a fabric: 160 GB/s in all"));
  CHECK(dot(one).find("storage0 [label=\"storage of A\", shape=cylinder];\n"
                      "  storage0 -- fabric0 [label=\"160 GB/s\"];") != std::string::npos);
  GraphBuilder two;
  two.add(g, "");
  g.fabric = "B";
  g.links.storage_bytes_per_s.reset();
  two.add(g, "");
  const Fleet both = compile(two.take(), "two", "");
  CHECK(table_ends(both, "storage of a fabric: any..160 GB/s in all"));
  CHECK(dot(both).find("storage1") == std::string::npos);
}
