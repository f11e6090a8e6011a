// Who is preempted writes a checkpoint within its grace time, if it can.

#include "catch.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kPreempts = "batch:order=priority,backfill=easy,preemption=requeue";

/// a works 30 s, writes for 5, and has worked for 45 when b, which is urgent, comes at 50.
Workload two(Duration grace, Duration cost = 5s) {
  Workload w =
      workload({job(0s, 1, 100s).checkpoints(30s).grace(grace), job(50s, 1, 10s).priority(1)});
  w.checkpoint_cost.assign(2, cost);
  return w;
}

OutagePlan saving(std::vector<OutagePlan::Outage> outages = {}) {
  OutagePlan plan = plan_of(std::move(outages));
  plan.reaction.saves = true;
  return plan;
}

}  // namespace

TEST_CASE("a preempted job that can write its checkpoint in time loses nothing, and goes at once") {
  const Workload w = two(10s);
  const Held h = held(1, 1, kPreempts, w, saving());
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 55s);
  CHECK(h.end("a") == 65s + 30s + 5s + 25s);
  CHECK(h.gpu_s(GpuClass::checkpoint) == 15);
  CHECK(h.gpu_s(GpuClass::lost) == 0);
  CHECK(h.report.preemptions == 1);
  CHECK(h.report.interruptions == 0);
}

TEST_CASE("one whose checkpoint takes longer falls back to the last one") {
  const Workload w = two(4s);
  const Held h = held(1, 1, kPreempts, w, saving());
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 54s);
  CHECK(h.end("a") == 64s + 30s + 5s + 30s + 5s + 10s);
  CHECK(h.gpu_s(GpuClass::lost) == 15 + 4);
  CHECK(h.gpu_s(GpuClass::checkpoint) == 15);
}

TEST_CASE("without being asked to, nobody writes one") {
  const Workload w = two(10s);
  const Held h = held(1, 1, kPreempts, w, plan_of({down({0}, 500s, 600s)}));
  CHECK(h.start("b") == 60s);
  CHECK(h.gpu_s(GpuClass::lost) == 15 + 10);
}

TEST_CASE("a job without checkpoints can write none") {
  Workload w = workload({job(0s, 1, 100s).grace(10s), job(50s, 1, 10s).priority(1)});
  const Held h = held(1, 1, kPreempts, w, saving());
  CHECK(h.start("b") == 60s);
  CHECK(h.gpu_s(GpuClass::lost) == 50 + 10);
}

TEST_CASE("one that takes no time needs no grace") {
  const Workload w = two(0s, 0s);
  const Held h = held(1, 1, kPreempts, w, saving());
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 50s);
  CHECK(h.end("a") == 60s + 50s);
  CHECK(h.gpu_s(GpuClass::lost) == 0);
}

TEST_CASE("a checkpoint that the node does not live to see written does not count") {
  const Workload w = two(10s);
  const Held h = held(1, 1, kPreempts, w, saving({down({0}, 52s, 60s)}));
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 60s);
  CHECK(h.end("a") == 70s + 30s + 5s + 30s + 5s + 10s);
  CHECK(h.gpu_s(GpuClass::lost) == 15 + 2);
}
