// Placers that ask what a place costs.

#include "catch.hpp"
#include "fabric.hpp"
#include "muster/policy/contention.hpp"
#include "muster/policy/parts/placer.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// A cluster with prices, some of whose nodes are taken.
struct Priced {
  explicit Priced(const Fleet& f, double share = 0.5) : cluster(f, true) {
    cost.contention = true;
    cost.communication = share;
    cost.demand = CostOptions::Demand::steady;
    jobs = workload({job(0s, 16, 100s)});
    network = make_contention(jobs, f, {}, cost);
    cluster.priced_by(network.get());
  }
  /// Somebody runs on these.
  void taken(std::uint32_t job, std::vector<Slice> where) {
    cluster.take(where);
    network->came(JobId{job}, where);
    network->changes();
  }
  std::vector<Slice> ask(const std::string& placer, std::uint32_t gpus) {
    Workload w = workload({job(0s, gpus, 100s)});
    const Demand d = resolve_all(w, cluster.fleet(), {})[ShapeId{0}];
    std::vector<Slice> out;
    REQUIRE(Placers::all().at(placer).make(1)->place(cluster, d, out));
    return out;
  }
  CostOptions cost;
  Workload jobs;
  std::unique_ptr<Contention> network;
  Cluster cluster;
};

}  // namespace

TEST_CASE("step_time stays below a leaf where pack crosses from one to the other") {
  const Fleet fleet = leaves(8, 200);
  Priced p(fleet);
  p.taken(0, {nodes(0, 1)});
  CHECK(p.ask("pack", 16) == std::vector<Slice>{nodes(1, 2)});
  CHECK(p.ask("step_time", 16) == std::vector<Slice>{nodes(2, 2)});
  CHECK(p.ask("network_aware", 16) == std::vector<Slice>{nodes(2, 2)});
  // One node costs the same everywhere: the tightest, as pack.
  CHECK(p.ask("step_time", 8) == p.ask("pack", 8));
}

TEST_CASE(
    "network_aware keeps off an uplink that somebody sends over; step_time minds itself only") {
  // Two nodes free in no leaf: 1, 3, 5 and 7. The job on 0 and 2 sends over the uplinks of leaves 0 and 1.
  const Fleet fleet = leaves(8, 400);
  Priced p(fleet);
  p.taken(1, {nodes(0, 1), nodes(2, 1)});
  p.taken(2, {nodes(4, 1)});
  p.taken(3, {nodes(6, 1)});
  CHECK(p.ask("pack", 16) == std::vector<Slice>{nodes(1, 1), nodes(3, 1)});
  const std::vector<Slice> quiet = p.ask("network_aware", 16);
  CHECK(quiet == std::vector<Slice>{nodes(5, 1), nodes(7, 1)});
  // Prices say why: half of an uplink each, and the neighbour half as fast at what it sends.
  const Demand d = resolve_all(p.jobs, fleet, {})[ShapeId{0}];
  const std::vector<Slice> loud{nodes(1, 1), nodes(3, 1)};
  const PlacementCost::Price there = p.network->price(d, loud), here = p.network->price(d, quiet);
  CHECK(here.own == Approx(1));
  CHECK(here.others == Approx(0).margin(1e-9));
  CHECK(there.own == Approx(1.5));
  CHECK(there.alone == Approx(1));
  CHECK(there.others == Approx(16 * (1 - 1 / 1.5)));
  // Asking changes nothing.
  CHECK(p.network->changes().empty());
  CHECK(p.network->price(d, loud).own == Approx(1.5));
}

TEST_CASE("a place where nobody loses anything is taken, though others could gain elsewhere") {
  // 200 GB/s up from leaf 0 and 300 from seven others. a is on leaves 0 and 1, and b on ten nodes of leaves 1 to 6: 150
  // each. On leaf 0 the new job would take 50 from a, which lets b have 200.
  GraphBuilder builder;
  NodeGroup group;
  group.gpus = 8;
  group.gpu_type = "H100";
  group.nodes_per_leaf = 2;
  for (const auto& [count, up] : {std::pair{2u, 200e9}, std::pair{14u, 300e9}}) {
    group.count = count;
    group.links.leaf.bytes_per_s = up;
    builder.add(group, "test");
  }
  const Fleet fleet = compile(builder.take(), "test", "test");
  Priced p(fleet);
  p.taken(1, {nodes(0, 1), nodes(2, 1)});
  p.taken(2, {nodes(3, 10)});
  const Demand d = resolve_all(p.jobs, fleet, {})[ShapeId{0}];
  const PlacementCost::Price there = p.network->price(d, std::vector{nodes(1, 1), nodes(13, 1)});
  CHECK(there.own == Approx(2.5));
  CHECK(there.others == Approx(16 / (11 / 6.0) - 16 / 2.5 + 80 / (11 / 6.0) - 80 / 1.5));
  CHECK(there.others + 16 / 1.5 - 16 / there.own < 0);
  const PlacementCost::Price inside = p.network->price(d, std::vector{nodes(14, 2)});
  CHECK(inside.own == inside.least);
  CHECK(inside.others == 0);
  CHECK(p.ask("network_aware", 16) == std::vector<Slice>{nodes(14, 2)});
}

TEST_CASE("of a mesh's GPUs step_time takes those that have most links between them") {
  NodeGroup group;
  group.count = 1;
  group.gpus = 8;
  group.gpu_type = "V100";
  GraphBuilder builder;
  builder.add(group, "test");
  const Fleet fleet = compile(builder.take(), "test", "test");
  const auto trainings = trains("resnet50", "");
  CostOptions cost;
  cost.trainings = trainings;
  Workload w = workload({job(0s, 2, 100s).model("gpt")});
  split_by_model(w);
  const auto steps = make_job_steps(w, fleet, cost);
  const auto network = make_contention(w, fleet, {}, cost, steps);
  Cluster cluster(fleet, true);
  cluster.priced_by(network.get());
  const Demand d = resolve_all(w, fleet, {})[ShapeId{0}];
  std::vector<Slice> out;
  REQUIRE(Placers::all().at("step_time").make(1)->place(cluster, d, out));
  double least = 1e9;
  for (GpuMask set = 1; set < 256; ++set)
    if (count(set) == 2)
      least = std::min(least, step_on(fleet, *trainings, {nodes(0, 1, set)}).total_us());
  CHECK(step_on(fleet, *trainings, out).total_us() == Approx(least));
  CHECK(step_on(fleet, *trainings, {nodes(0, 1, 0b11)}).total_us() > least);  // what pack takes
}

TEST_CASE("a job of one node costs the same everywhere, if nothing is known of its step") {
  const Fleet fleet = leaves(8, 200);
  const Workload w = workload(
      {job(0s, 8, 100s), job(0s, 16, 100s), job(0s, 8, 100s).model("gpt"), job(0s, 1, 100s)});
  CostOptions cost;
  cost.contention = true;
  cost.communication = 0.5;
  cost.trainings = trains("llama3-8b", "zero=3,global_batch=16");
  const auto network = make_contention(w, fleet, {}, cost, make_job_steps(w, fleet, cost));
  const auto demands = resolve_all(w, fleet, {});
  const auto same = [&](std::uint32_t j) {
    Demand d = demands[w.shape[JobId{j}]];
    d.model = Workload::at_or(w.model, JobId{j}, NameId{});
    return network->same_everywhere(d);
  };
  CHECK(same(0));
  CHECK_FALSE(same(1));
  CHECK_FALSE(same(2));
  CHECK(same(3));
  // A span of any GPUs may lie on several nodes.
  Demand any = demands[w.shape[JobId{0}]];
  any.span = Span::any;
  CHECK_FALSE(network->same_everywhere(any));
}

TEST_CASE("without /cost they place as pack does") {
  const Fleet fleet = leaves(8, 200);
  Cluster cluster(fleet, true);
  cluster.take(std::vector<Slice>{nodes(0, 1)});
  Workload w = workload({job(0s, 16, 100s)});
  const Demand d = resolve_all(w, fleet, {})[ShapeId{0}];
  std::vector<Slice> a, b;
  REQUIRE(Placers::all().at("pack").make(1)->place(cluster, d, a));
  for (const char* name : {"step_time", "network_aware"}) {
    REQUIRE(Placers::all().at(name).make(1)->place(cluster, d, b));
    CHECK(a == b);
  }
}
