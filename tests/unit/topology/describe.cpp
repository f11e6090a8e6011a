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

  level   domains  nodes each  GPUs each
  nvlink        5       1..18      8..72
  leaf          3       2..18      8..72
  pod           1          23        104
  fabric        1          23        104

  note: 2 nodes without GPUs are left out
  source: inventory of 2026-01
)");
}

TEST_CASE("one node of one GPU") {
  CHECK(describe(Fleet::uniform(1, 1)) == R"(1x1: 1 node, 1 GPU

  GPU type     nodes  GPUs  GPUs per node
  (not named)      1     1              1

  level   domains  nodes each  GPUs each
  nvlink        1           1          1
  leaf          1           1          1
  pod           1           1          1
  fabric        1           1          1
)");
}
