// Nodes that are drained: what runs there may end, and nothing new starts.

#include "catch.hpp"
#include "muster/engine/why.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

OutagePlan::Outage drain(std::vector<std::uint32_t> nodes, Duration from, Duration to) {
  OutagePlan::Outage o = maintenance(std::move(nodes), from, to, from);
  o.drain = true;
  o.cause = "drain";
  return o;
}

}  // namespace

TEST_CASE("a node that is drained lets its job end, and is out of service from then on") {
  // a sits on n0 until 60. From 20 on nothing starts there; b goes to n1, and c has to wait for 100.
  const Workload w = workload({job(0s, 1, 60s), job(30s, 1, 200s), job(31s, 1, 10s)});
  for (const char* spec : {"fifo", "easy", "conservative", "batch:backfill=easy,promise=pinned",
                           "batch:backfill=conservative,conservative=compress", "ranked:rank=fifo",
                           "elastic", "rounds:objective=las", "independent"}) {
    INFO(spec);
    const Held h = held(2, 1, spec, w, plan_of({drain({0}, 20s, 100s)}));
    CHECK(h.verdict == "");
    CHECK(h.end("a") == 60s);
    CHECK(h.report.interruptions == 0);
    CHECK(h.gpu_s(GpuClass::maintenance) == 40);
    CHECK(h.gpu_s(GpuClass::lost) == 0);
    CHECK(std::min(h.start("b"), h.start("c")) >= 30s);
    CHECK(h.times.start[JobId{2}] != kNever);
    REQUIRE(h.summary.outages.size() == 1);
    CHECK(h.summary.outages[0].cause == "drain");
  }
}

TEST_CASE("a job that outlives the drain of its node keeps it") {
  const Workload w = workload({job(0s, 1, 60s), job(30s, 2, 10s)});
  for (const char* spec : {"fifo", "easy", "conservative", "batch:backfill=easy,promise=pinned"}) {
    INFO(spec);
    const Held h = held(1, 2, spec, w, plan_of({drain({0}, 20s, 40s)}));
    CHECK(h.verdict == "");
    CHECK(h.end("a") == 60s);
    CHECK(h.start("b") == 60s);
    CHECK(h.gpu_s(GpuClass::maintenance) == 20);  // the other GPU of the node
    CHECK(h.summary.broken_promises == 0);
  }
}

TEST_CASE("what a job still holds of a drained node is not missing elsewhere") {
  // n0 is drained while a runs there; b fits on n1 now, and ends before anything is promised there.
  const Workload w = workload({job(0s, 8, 100s), job(30s, 8, 20s), job(31s, 16, 10s)});
  for (const char* spec :
       {"conservative", "batch:backfill=conservative,conservative=compress",
        "batch:backfill=easy,reservations=2", "batch:backfill=easy,promise=pinned"}) {
    INFO(spec);
    const Held h = held(2, 8, spec, w, plan_of({drain({0}, 20s, 300s)}));
    CHECK(h.verdict == "");
    CHECK(h.start("b") == 30s);
    CHECK(h.start("c") == 300s);
    CHECK(h.summary.broken_promises == 0);
  }
}

TEST_CASE("a drained node that fails takes its job with it all the same") {
  const Workload w = workload({job(0s, 1, 60s).checkpoints(10s)});
  const Held h = held(2, 1, "easy", w, plan_of({drain({0}, 20s, 100s), down({0}, 35s, 50s)}));
  CHECK(h.verdict == "");
  CHECK(h.end("a") == 65s);
  CHECK(h.gpu_s(GpuClass::lost) == 5);
  CHECK(h.gpu_s(GpuClass::down) == 15);
  CHECK(h.gpu_s(GpuClass::maintenance) == 15);
}

TEST_CASE("a node that is drained for nobody knows how long is named to those who need it") {
  const Workload w = workload({job(0s, 2, 10s).nodes(2), job(5s, 1, 10s)});
  EngineOptions options;
  options.outages = std::make_shared<const OutagePlan>(plan_of({drain({1}, 0s, kUnlimited)}));
  const WhyReport report =
      why(Fleet::uniform(2, 1), w, *policy("easy"), options, JobId{0}, kStart + 5s);
  CHECK(report.at.text ==
        "needs 2 whole nodes, 1 of 2 nodes is up, n1 drained for the rest of the run");
}

TEST_CASE("why counts who is up now, and names a node that is out for two reasons once") {
  const auto text_at = [](const Fleet& fleet, const Workload& w, OutagePlan plan, Duration at) {
    EngineOptions options;
    options.outages = std::make_shared<const OutagePlan>(std::move(plan));
    return why(fleet, w, *policy("easy"), options, JobId{0}, kStart + at).at.text;
  };
  OutagePlan::Outage known = down({1}, 0s, 30s), longer = down({1}, 1s, 60s);
  known.return_known = longer.return_known = true;
  // n1 will be back, and is not up all the same.
  CHECK(text_at(Fleet::uniform(3, 1), workload({job(5s, 3, 10s).nodes(3)}),
                plan_of({down({0}, 0s, 90s), known}),
                5s) == "needs 3 whole nodes, 1 of 3 nodes is up, n0 down with no announced return");
  CHECK(text_at(Fleet::uniform(2, 1), workload({job(5s, 2, 10s).nodes(2)}),
                plan_of({known, longer}), 5s) ==
        "needs 2 whole nodes, and that would be free, but n1 is down until 60 s; it is promised to "
        "start by 60 s");
}
