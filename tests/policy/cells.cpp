// Virtual clusters of cells: schedules that one can look at, a row per node, a column per 10 s.

#include "../../src/policy/cells/cell_tree.hpp"
#include "../../src/policy/cells/virtual_cluster.hpp"
#include "catch.hpp"
#include "muster/engine/outages.hpp"
#include "muster/engine/why.hpp"
#include "muster/io/fleet.hpp"
#include "support/gantt.hpp"

using namespace muster;
using namespace muster::cells;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

const Fleet kTwo = Fleet::uniform(2, 8);

std::string cells_of(const std::string& queues, const std::string& more = "") {
  return "cells:virtual_clusters={" + queues + "}" + more;
}
std::uint32_t first_of(const CellTree& tree, const Kind& kind, const Cluster& now) {
  return tree.choose(tree.of_kind(kind), now);
}

}  // namespace

TEST_CASE("a fleet is a tree of cells") {
  const Fleet fleet = load_fleet("12x8:h100/4/2");
  const CellTree tree(fleet);
  CHECK(tree.of_kind({Level::fleet, 0, ""}).size() == 1);
  CHECK(tree.of_kind({Level::pod, 0, ""}).size() == 2);
  CHECK(tree.of_kind({Level::leaf, 0, ""}).size() == 3);
  CHECK(tree.of_kind({Level::node, 0, ""}).size() == 12);
  CHECK(tree.of_kind({Level::node, 8, ""}) == tree.of_kind({Level::node, 0, ""}));
  CHECK(tree.of_kind({Level::node, 4, ""}).size() == 24);
  CHECK(tree.of_kind({Level::node, 1, ""}).size() == 96);
  CHECK(tree.of_kind({Level::node, 3, ""}).empty());
  CHECK(tree.of_kind({Level::leaf, 0, "h100"}).size() == 3);
  CHECK(tree.of_kind({Level::leaf, 0, "a100"}).empty());
  CHECK(tree.cell(tree.of_kind({Level::leaf, 0, ""})[1]).nodes == NodeRange{4, 8});
}

TEST_CASE("an odd number of GPUs comes apart at once, and MIG is in no cell") {
  const Fleet odd = Fleet::uniform(1, 6);
  const CellTree six(odd);
  CHECK(six.of_kind({Level::node, 3, ""}).size() == 2);
  CHECK(six.of_kind({Level::node, 2, ""}).empty());
  CHECK(six.of_kind({Level::node, 1, ""}).size() == 6);
  const Fleet mig = parse_fleet(
      R"({"groups": [{"count": 1, "gpus": 4, "mig": true}, {"count": 2, "gpus": 4}]})", "test");
  CHECK(CellTree(mig).of_kind({Level::node, 0, ""}).size() == 2);
  CHECK(CellTree(mig).cell(0).size == 8);
}

TEST_CASE("the buddy rule: a free cell of the kind is taken before a larger one is split") {
  const Cluster empty(kTwo, false);
  CellTree tree(kTwo);
  const Kind one{Level::node, 1, ""}, half{Level::node, 4, ""}, node{Level::node, 0, ""};
  const std::uint32_t a = first_of(tree, one, empty);
  CHECK(tree.cell(a).nodes.first == 0);
  tree.bind(a);
  const std::uint32_t b = first_of(tree, half, empty);
  CHECK(tree.cell(b).nodes.first == 0);  // the other half of the node that is split already
  CHECK(tree.cell(b).gpus == 0xF0);
  tree.bind(b);
  const std::uint32_t c = first_of(tree, half, empty);
  CHECK(tree.cell(c).nodes.first == 1);
  const std::uint32_t d = first_of(tree, node, empty);
  CHECK(tree.cell(d).nodes.first == 1);
  tree.bind(d);
  CHECK(first_of(tree, half, empty) == CellTree::kNone);
  tree.unbind(a);
  CHECK(tree.cell(first_of(tree, half, empty)).gpus == 0x0F);  // buddies have merged
}

TEST_CASE("a tenant's cells are whole, whatever others leave over") {
  // By number there would be 8 GPUs for d when it comes; a, b and c would have cut both nodes.
  const std::vector<TestJob> jobs{job(0s, 3, 100s).queue("x"), job(0s, 3, 100s).queue("x"),
                                  job(0s, 2, 100s).queue("x"), job(10s, 8, 20s).queue("y")};
  CHECK(schedule("batch:placer=spread", jobs, kTwo) == R"(
|**********dd|
|bbbbbbbbbb..|
)");
  CHECK(schedule(cells_of(R"("x": "1xnode", "y": "1xnode")", ",placer=spread"), jobs, kTwo) == R"(
|**********|
|.dd.......|
)");
}

TEST_CASE("who has no cells runs on what is free, and makes room") {
  const std::string spec = cells_of(R"("x": "1xnode", "y": "1xnode")");
  SECTION("at once, losing what it did since its last checkpoint") {
    CHECK(schedule(spec,
                   {job(0s, 8, 40s).queue("z").checkpoints(10s), job(0s, 8, 30s).queue("x"),
                    job(20s, 8, 20s).queue("y")},
                   kTwo) == R"(
|bbbaa|
|aacc.|
)");
  }
}

TEST_CASE("it goes outside of bound cells first") {
  const std::vector<TestJob> jobs{job(0s, 1, 30s).queue("x"), job(10s, 1, 20s).queue("z"),
                                  job(20s, 7, 10s).queue("x")};
  CHECK(schedule(cells_of(R"("x": "1xnode")"), jobs, kTwo) == R"(
|aa*|
|.bb|
)");
}

TEST_CASE("grace time: what is granted waits until those on it have gone") {
  const std::string spec = cells_of(R"("x": "2xnode")", ",preemption=suspend");
  const std::vector<TestJob> jobs{job(0s, 8, 50s).queue("z").grace(20s),
                                  job(10s, 16, 20s).queue("x"), job(20s, 8, 10s).queue("z")};
  // c must not slip in between.
  CHECK(schedule(spec, jobs, kTwo) == R"(
|aaabbaaaa|
|...bbc...|
)");
}

TEST_CASE("low qos has no cells") {
  const std::string spec = cells_of(R"("x": "2xnode")", ",preemption=suspend");
  CHECK(schedule(spec,
                 {job(0s, 16, 30s).queue("x").qos(Qos::best_effort), job(10s, 16, 20s).queue("x")},
                 kTwo) == R"(
|abbaa|
|abbaa|
)");
}

TEST_CASE("skip: in a virtual cluster whoever fits goes") {
  const std::vector<TestJob> jobs{job(0s, 4, 20s).queue("x"), job(0s, 8, 10s).queue("x"),
                                  job(0s, 4, 10s).queue("x")};
  CHECK(schedule(cells_of(R"("x": "1xnode")"), jobs, Fleet::uniform(1, 8)) == R"(
|aabc|
)");
  CHECK(schedule(cells_of(R"("x": "1xnode")", ",skip=true"), jobs, Fleet::uniform(1, 8)) == R"(
|*ab|
)");
}

TEST_CASE("a job wider than its virtual cluster is rejected") {
  const auto p = policy(cells_of(R"("x": "1xnode + 1x4gpu")"));
  const Workload w =
      prepared(workload({job(0s, 16, 10s).queue("x"), job(0s, 12, 10s).queue("x")}), *p);
  Timetable times(w.size());
  const RunSummary run = simulate(kTwo, w, *p, {}, times);
  REQUIRE(run.rejections.size() == 1);
  CHECK(run.rejections[0].code == "exceeds_virtual_cluster");
  CHECK(run.rejections[0].text ==
        "job a needs 16 GPUs (2 whole nodes), virtual cluster x is 1xnode + 1x4gpu");
  CHECK(times.state[JobId{1}] == JobState::completed);
}

TEST_CASE("why: what its own virtual cluster has, and not what others do") {
  const auto p = policy(cells_of(R"("x": "1xnode", "y": "1xnode")"));
  const Workload w =
      prepared(workload({job(0s, 6, 50s).queue("x"), job(10s, 4, 20s).queue("x")}), *p);
  const WhyReport report = why(kTwo, w, *p, {}, JobId{1}, kStart + 20s);
  CHECK(report.at.cause == Cause::quota);
  CHECK(report.at.text ==
        "needs 4 GPUs on one node, and that is free; of its virtual cluster x with 8 GPUs, 2 GPUs "
        "are free");
}

TEST_CASE("cells that can't be meant") {
  const auto refused = [](const std::string& cells, const Fleet& fleet) {
    try {
      const auto p = policy(cells_of("\"x\": \"" + cells + "\""));
      const Workload w = prepared(workload({job(0s, 1, 10s).queue("x")}), *p);
      Timetable times(w.size());
      simulate(fleet, w, *p, {}, times);
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  const std::string how =
      "\n    a cell is node, nvlink, leaf, pod, fabric or fleet, or a part of a node (1gpu, 2gpu, "
      "4gpu); the type of its GPUs may follow, as in 2xnode:H100";
  for (const std::string bad : {"", "node", "2 node", "2xnodes", "0xnode", "2xnode:", "1x0gpu",
                                "2xnode +", "99999999999xnode"}) {
    INFO(bad);
    const std::string last = bad == "2xnode +" ? "" : bad;
    CHECK(refused(bad, kTwo) ==
          "test: /virtual_clusters/x: expected cells such as 2xnode + 1x4gpu, got \"" + last +
              "\"" + how);
  }
  CHECK(refused("3xnode", kTwo) ==
        "/policy/virtual_clusters/x: asks for 3xnode, the fleet has 2 such cells"
        "\n    muster fleet show lists the domains of each level");
  CHECK(
      refused("2xnode + 1x4gpu", kTwo) ==
      "/policy/virtual_clusters: the fleet does not have all of these cells: there is no room for "
      "those of x beside the others"
      "\n    assign fewer; muster fleet show lists the domains of each level");
  CHECK(
      refused("1xnode", load_fleet("1x8+1x4")) ==
      "/policy/virtual_clusters/x: cells node of the fleet are not alike: one has 8 GPUs, another 4"
      "\n    name cells that are, or the type of their GPUs, as in 2xnode:H100");
}

TEST_CASE("cells with nodes out of service are bound last") {
  const auto drawn = [](const std::string& spec, std::vector<TestJob> jobs, std::size_t node,
                        Duration from, Duration to) {
    const auto p = policy(spec);
    const Workload w = prepared(workload(jobs), *p);
    auto plan = std::make_shared<OutagePlan>();
    OutagePlan::Outage o;
    o.kind = Window::Kind::down;
    o.announced = o.from = kStart + from;
    o.to = kStart + to;
    o.nodes = {NodeId{static_cast<std::uint32_t>(node)}};
    plan->outages.push_back(o);
    EngineOptions options;
    options.outages = plan;
    Gantt gantt(w, 2, 10s);
    simulate(kTwo, w, *p, options, gantt);
    return gantt.text();
  };
  // Node 0 is down from 10 s to 60 s: a goes on elsewhere, b starts there too.
  CHECK(drawn(cells_of(R"("x": "1xnode")"), {job(0s, 8, 30s).queue("x")}, 0, 10s, 60s) == R"(
|a...|
|.aaa|
)");
  // A tenant with both nodes has one of them until the other is back.
  CHECK(drawn(cells_of(R"("x": "2xnode")"),
              {job(20s, 8, 20s).queue("x"), job(20s, 8, 20s).queue("x")}, 0, 10s, 60s) == R"(
|......|
|..aabb|
)");
  CHECK(drawn("hived", {job(20s, 8, 50s).queue("x"), job(20s, 8, 20s).queue("x")}, 0, 10s, 60s) ==
        R"(
|......bb|
|..aaaaa.|
)");
}

TEST_CASE("cells: a virtual cluster of a queue without jobs is named, once") {
  const auto p = policy(cells_of(R"("vision": "1xnode")"));
  const Workload w =
      prepared(workload({job(0s, 1, 10s).queue("visoin"), job(20s, 1, 10s).queue("visoin")}), *p);
  Timetable times(w.size());
  const RunSummary run = simulate(kTwo, w, *p, {}, times);
  CHECK(run.warnings ==
        std::vector<std::string>{
            "unknown_queue: virtual_clusters name \"vision\", and no job of the trace is in such a "
            "queue; did you mean \"visoin\"?"});
}

TEST_CASE(
    "the buddy rule: the half beside one that is bound comes before a whole node, wherever it is") {
  // Somebody without cells is on node 0, so the first half is cut out of node 1.
  Cluster busy(kTwo, false);
  busy.take(std::vector{Slice{NodeId{0}, 1, 0xFF}});
  CellTree tree(kTwo);
  const Kind half{Level::node, 4, ""};
  const std::uint32_t a = first_of(tree, half, busy);
  CHECK(tree.cell(a).nodes.first == 1);
  tree.bind(a);
  const Cluster empty(kTwo, false);
  CHECK(tree.cell(first_of(tree, half, empty)).nodes.first == 1);
  tree.unbind(a);
  CHECK(tree.cell(first_of(tree, half, empty)).nodes.first == 0);
}

TEST_CASE(
    "no cell is bound of which every node is out of service, and one that is whole comes first") {
  Cluster now(kTwo, false);
  const CellTree tree(kTwo);
  const Kind node{Level::node, 0, ""}, half{Level::node, 4, ""};
  now.fence(NodeId{0});
  CHECK(tree.cell(first_of(tree, node, now)).nodes.first == 1);
  CHECK(tree.cell(first_of(tree, half, now)).nodes.first == 1);
  now.fence(NodeId{1});
  CHECK(first_of(tree, node, now) == CellTree::kNone);
}
