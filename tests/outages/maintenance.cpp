// Planned outages: nothing runs in them, and what looks ahead starts nothing that would run into one.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kLookAhead = {"easy",
                             "conservative",
                             "batch:skip=true",
                             "batch:backfill=conservative,conservative=compress",
                             "batch:backfill=easy,reservations=3",
                             "batch:backfill=easy,promise=pinned",
                             "batch:backfill=conservative,promise=pinned"};

}  // namespace

TEST_CASE("around a maintenance of all nodes") {
  for (const char* spec : kLookAhead) {
    INFO(spec);
    const Workload w = workload({job(0s, 1, 20s), job(0s, 1, 30s), job(0s, 2, 20s)});
    const Held h = held(2, 1, spec, w, plan_of({maintenance({0, 1}, 40s, 60s)}));
    CHECK(h.verdict == "");
    CHECK(h.start("a") == 0s);
    CHECK(h.start("b") == 0s);
    CHECK(h.start("c") == 60s);
    CHECK(h.gpu_s(GpuClass::maintenance) == 2 * 20);
    // From 30 to 40 both are free, and c would fit but cross it.
    CHECK(h.gpu_s(GpuClass::idle_outage) == 2 * 10);
    CHECK(h.report.interruptions == 0);
  }
}

TEST_CASE("a job that is announced a maintenance too late goes back to its checkpoint") {
  const Workload w = workload({job(0s, 1, 50s).checkpoints(8s, 2s)});
  const Held h = held(1, 1, "easy", w, plan_of({maintenance({0}, 20s, 30s, 10s)}));
  CHECK(h.verdict == "");
  // 16 s are kept; then 2 s for the restart.
  CHECK(h.end("a") == 30s + 2s + 34s);
  CHECK(h.report.interruptions == 1);
  CHECK(h.gpu_s(GpuClass::lost) == 4);
  CHECK(h.gpu_s(GpuClass::starting) == 2);
  CHECK(h.report.preemptions == 0);
}

TEST_CASE(
    "families that do not look ahead lose what they run when it begins, and go on afterwards") {
  for (const char* spec : {"srtf", "las", "gandiva", "elastic", "rounds", "independent"}) {
    INFO(spec);
    const Workload w = workload({job(0s, 2, 50s).checkpoints(10s), job(0s, 2, 50s)});
    const Held h = held(4, 1, spec, w, plan_of({maintenance({0, 1, 2, 3}, 25s, 40s)}));
    CHECK(h.verdict == "");
    CHECK(h.state("a") == JobState::completed);
    CHECK(h.state("b") == JobState::completed);
    CHECK(h.report.interruptions == 2);
    CHECK(h.gpu_s(GpuClass::maintenance) == 4 * 15);
  }
}

TEST_CASE("a rolling maintenance takes one domain after another, and work goes on in the others") {
  // Two leaves of two nodes, one after the other; a job of two nodes fits in the other one.
  const Workload w = workload({job(0s, 2, 30s), job(1s, 2, 30s), job(2s, 2, 30s), job(3s, 2, 30s)});
  const Held h = held(4, 1, "easy", w,
                      plan_of({maintenance({0, 1}, 40s, 60s), maintenance({2, 3}, 60s, 80s)}));
  CHECK(h.verdict == "");
  CHECK(h.start("a") == 0s);
  CHECK(h.start("b") == 1s);
  // From 31 on only [31, 60) is left on n2 and n3: 29 s. The next is n0 and n1, from 60.
  CHECK(h.start("c") == 60s);
  CHECK(h.start("d") == 80s);
}

TEST_CASE("why a job waits for a maintenance is said in words") {
  const Workload w = workload({job(0s, 2, 50s)});
  EngineOptions options;
  options.outages = std::make_shared<const OutagePlan>(plan_of({maintenance({1}, 40s, 60s)}));
  const WhyReport report = why(Fleet::uniform(2, 1), w, *policy("easy"), options, JobId{0}, kStart);
  CHECK(report.at.cause == Cause::outage);
  CHECK(report.at.text ==
        "needs 2 GPUs, and that is free, but by its estimate it would run until 50 s, and n1 is in "
        "maintenance from 40 s to 60 s; it is promised to start by 60 s");
}
