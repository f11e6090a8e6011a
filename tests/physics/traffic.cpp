// What jobs of a run have sent, by level.

#include "catch.hpp"
#include "fabric.hpp"
#include "muster/metrics/traffic_book.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

Traffic sent(const Fleet& fleet, const Workload& w, const EngineOptions& options,
             const std::string& spec = "batch:placer=first") {
  TrafficBook book(w, fleet, options.cost);
  const auto p = policy(spec);
  simulate(fleet, w, *p, options, book);
  return book.all();
}

EngineOptions communicating(double share) {
  EngineOptions options;
  options.cost.contention = true;
  options.cost.communication = share;
  return options;
}

}  // namespace

TEST_CASE("jobs that communicate for a share of their time send it at the rate of their NICs") {
  // Nodes send 400 GB/s. a keeps node 0, b is on nodes 1 and 2, in two leaves: half of 100 s at that rate.
  const Fleet fleet = leaves(8, 200);
  const Workload w = workload({job(0s, 8, 1000s), job(0s, 16, 100s)});
  EngineOptions options = communicating(0.5);
  const double out = 0.5 * 100 * 400e9;
  const Traffic all = sent(fleet, w, options);
  CHECK(all.nodes == Approx(2 * out));
  CHECK(all.leaves ==
        Approx(2 * out));  // it takes longer over the narrow uplinks, and sends as much
  CHECK(all.pods == 0);
  // In a leaf, or on one node, nothing crosses.
  const Traffic below = sent(fleet, workload({job(0s, 16, 100s)}), options);
  CHECK(below.nodes == Approx(2 * out));
  CHECK(below.leaves == 0);
  CHECK(sent(fleet, workload({job(0s, 8, 100s)}), options).nodes == 0);
  // Over 6 nodes in 3 leaves: a ring leaves each of them once; all to all each node sends 4/5 of it beyond its own.
  const Workload wide = workload({job(0s, 48, 100s)});
  CHECK(sent(fleet, wide, options).leaves == Approx(3 * out));
  options.cost.pattern = CostOptions::Pattern::all_to_all;
  CHECK(sent(fleet, wide, options).leaves == Approx(6 * out * 4 / 5));
}

TEST_CASE("jobs whose step is known send what their plan says, step by step") {
  const Fleet fleet = leaves(8, 200);
  const auto trainings = trains("llama3-8b", "tp=2,global_batch=16");
  EngineOptions options = communicating(0);
  options.cost.trainings = trainings;
  Workload w = workload({job(0s, 8, 1000s), job(0s, 16, 100s).model("gpt")});
  const double steps = 100 / (step_on(fleet, *trainings, {nodes(0, 2)}).total_us() * 1e-6);
  const Training& t = trainings->by_model.at("gpt");
  const Traffic once =
      step_traffic(fleet, std::vector{nodes(1, 2)}, t.model, *t.plan(16), *trainings->mapping);
  // 8 replicas, two ranks each with half of the gradients, over two nodes.
  CHECK(once.nodes == Approx(2 * 4 * count_parameters(t.model).dense));
  CHECK(once.leaves == once.nodes);
  const Traffic all = sent(fleet, w, options);
  CHECK(all.nodes == Approx(steps * once.nodes).epsilon(1e-5));
  CHECK(all.leaves == Approx(steps * once.leaves).epsilon(1e-5));
}

TEST_CASE("what is thrown away was sent, and nothing while a job gets ready") {
  const Fleet fleet = leaves(2, 800);
  const EngineOptions options = communicating(0.5);
  const double rate = 2 * 0.5 * 400e9;
  SECTION("thrown away") {
    // b takes the place of a at 50 s, and a does all of its 100 s again.
    const Workload w = workload({job(0s, 16, 100s).priority(0), job(50s, 16, 10s).priority(1)});
    CHECK(sent(fleet, w, options, "batch:order=priority,preemption=requeue").nodes ==
          Approx((50 + 10 + 100) * rate));
  }
  SECTION("getting ready") {
    // a goes on where it was, after 20 s.
    const Workload w = workload({job(0s, 16, 100s), job(50s, 16, 10s)});
    CHECK(
        sent(fleet, w, options, "ranked:rank=srtf,preemption=checkpoint,restart_cost=20s").nodes ==
        Approx((100 + 10) * rate));
  }
}
