// Nodes fail and come back: what jobs lose, who takes whose place, and what the books say.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

TEST_CASE("a job whose node fails falls back to its checkpoint and waits for another") {
  const Workload w = workload({job(0s, 1, 60s).checkpoints(20s, 5s), job(0s, 1, 100s)});
  const Held h = held(2, 1, "easy", w, plan_of({down({0}, 50s, 120s)}));
  CHECK(h.verdict == "");
  // 40 s are kept and 10 lost; from 100 on it has the other node.
  CHECK(h.end("a") == 100s + 5s + 20s);
  CHECK(h.gpu_s(GpuClass::down) == 70);
  CHECK(h.gpu_s(GpuClass::lost) == 10);
  CHECK(h.gpu_s(GpuClass::starting) == 5);
  CHECK(h.report.interruptions == 1);
}

TEST_CASE("a job that hangs when the window closes has lost what it did") {
  const Workload w = workload({job(0s, 1, 5000s)});
  auto plan = plan_of({down({0}, 100s, 200s)});
  plan.reaction.detection = 5000s;
  EngineOptions options;
  options.horizon = 1000s;
  const Held h = held(Fleet::uniform(1, 1), "easy", w, plan, options);
  CHECK(h.verdict == "");
  CHECK(h.gpu_s(GpuClass::lost) == 1000);
  CHECK(h.gpu_s(GpuClass::run_compute) == 0);
  CHECK(h.report.interruptions == 1);
}

TEST_CASE("a checkpoint that completes as the node fails counts") {
  const Workload w = workload({job(0s, 1, 60s).checkpoints(25s)});
  const Held h = held(2, 1, "easy", w, plan_of({down({0}, 50s, 300s)}));
  CHECK(h.end("a") == 60s);
  CHECK(h.gpu_s(GpuClass::lost) == 0);
}

TEST_CASE("a job that ends as its node fails has ended") {
  const Workload w = workload({job(0s, 1, 50s), job(70s, 1, 10s)});
  const Held h = held(1, 1, "easy", w, plan_of({down({0}, 50s, 60s)}));
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::completed);
  CHECK(h.report.interruptions == 0);
  CHECK(h.gpu_s(GpuClass::down) == 10);
}

TEST_CASE("a node that fails twice at once is back when both are repaired") {
  const Workload w = workload({job(0s, 1, 10s), job(20s, 1, 10s)});
  const Held h =
      held(1, 1, "easy", w,
           plan_of({down({0}, 15s, 40s), down({0}, 30s, 60s), maintenance({0}, 55s, 80s)}));
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 80s);
  CHECK(h.gpu_s(GpuClass::down) == 45);
  CHECK(h.gpu_s(GpuClass::maintenance) == 20);
}

TEST_CASE("nobody notices at once: the job hangs, holds its GPUs, and loses that time") {
  const Workload w = workload({job(0s, 2, 60s).checkpoints(20s)});
  OutagePlan plan = plan_of({down({0}, 50s, 51s)});
  plan.reaction.detection = 15s;
  const Held h = held(2, 1, "easy", w, plan);
  CHECK(h.verdict == "");
  // Without noticing it would have ended at 60. It holds both GPUs until 65.
  CHECK(h.end("a") == 65s + 20s);
  CHECK(h.gpu_s(GpuClass::lost) == 2 * 25);
  CHECK(h.gpu_s(GpuClass::down) == 0);
}

TEST_CASE("a job that is interrupted too often has failed") {
  const Workload w = workload({job(0s, 1, 60s), job(0s, 1, 10s)});
  OutagePlan plan = plan_of({down({0}, 20s, 25s), down({0}, 40s, 45s)});
  plan.reaction.retries = 1;
  const Held h = held(1, 1, "fifo", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::failed);
  CHECK(h.end("a") == 40s);
  CHECK(h.start("b") == 45s);
}

TEST_CASE("a repaired node takes the place of the spare that is in use") {
  const Workload w = workload({job(0s, 2, 100s).checkpoints(10s, 2s), job(1s, 1, 5s)});
  OutagePlan plan = plan_of({down({0}, 30s, 50s), down({1}, 72s, 300s)});
  plan.reaction.swap = true;
  plan.spares = {NodeId{2}};
  const Held h = held(3, 1, "easy", w, plan);
  CHECK(h.verdict == "");
  // n2 comes in at 30, and n0, a spare from 50 on, for n1 at 72. Nothing lost, twice 2 s of restart.
  CHECK(h.end("a") == 104s);
  CHECK(h.report.interruptions == 2);
  CHECK(h.report.reshapes.moves == 0);
  CHECK(h.start("b") == 104s);
  CHECK(h.gpu_s(GpuClass::idle_reserved) == 30 + 22);
}

TEST_CASE("where there are not spares enough the job waits again") {
  const Workload w = workload({job(0s, 2, 100s).checkpoints(10s)});
  OutagePlan plan = plan_of({down({0, 1}, 35s, 60s)});
  plan.reaction.swap = true;
  plan.spares = {NodeId{2}};
  const Held h = held(3, 1, "easy", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.end("a") == 60s + 70s);
}

TEST_CASE("nodes that are down for nobody knows how long hold nobody else up") {
  const Workload w = workload({job(0s, 4, 10s).nodes(4), job(1s, 2, 20s), job(2s, 3, 10s)});
  EngineOptions options;
  options.outages = std::make_shared<const OutagePlan>(plan_of({down({3}, 0s, 100s)}));
  for (const char* spec : {"fifo", "easy", "conservative", "batch:backfill=easy,promise=pinned"}) {
    INFO(spec);
    const Held h = held(4, 1, spec, w, *options.outages);
    CHECK(h.verdict == "");
    CHECK(h.start("a") == 100s);
    CHECK(h.start("b") == 1s);
    CHECK(h.start("c") == 21s);
    CHECK(h.wait_s(Cause::outage) == 100);
  }
  const WhyReport report =
      why(Fleet::uniform(4, 1), w, *policy("easy"), options, JobId{0}, kStart + 5s);
  CHECK(report.at.text ==
        "needs 4 whole nodes, 3 of 4 nodes are up, n3 down with no announced return");
}

TEST_CASE("where no spares are, a job whose spare should come in waits again") {
  const Workload w = workload({job(0s, 1, 60s)});
  OutagePlan plan = plan_of({down({0}, 10s, 20s)});
  plan.reaction.swap = true;
  const Held h = held(1, 1, "easy", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.end("a") == 80s);
}

TEST_CASE("a job that outages never let come to anything is named") {
  const Workload w = workload({job(0s, 1, 60s)});
  std::vector<OutagePlan::Outage> often;
  for (int i = 0; i < 300; ++i) often.push_back(down({0}, 50s * i + 40s, 50s * i + 50s));
  const Held h = held(1, 1, "easy", w, plan_of(often));
  REQUIRE(h.summary.findings.size() == 1);
  CHECK(h.summary.findings[0].kind == Finding::Kind::livelock);
  CHECK(h.summary.findings[0].text ==
        "outages interrupted job a 100 times between 40 s and 4990 s, and it got nothing done: "
        "checkpoints are too far apart for it");
}
