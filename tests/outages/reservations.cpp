// Advance reservations: who is let in, who is kept out, and what becomes of whom at their ends.

#include "catch.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kBackfills = {"fifo",
                             "batch:skip=true",
                             "easy",
                             "conservative",
                             "batch:backfill=conservative,conservative=compress",
                             "batch:backfill=easy,reservations=3",
                             "batch:backfill=easy,promise=pinned",
                             "batch:backfill=conservative,promise=pinned"};

}  // namespace

TEST_CASE("whatever the backfill, nobody else runs on nodes that are reserved") {
  for (const char* spec : kBackfills) {
    INFO(spec);
    // Two of four nodes from 40 to 80. b would cross that; c is short enough; d is tied to it.
    const Workload w = workload(
        {job(0s, 2, 30s), job(5s, 4, 30s), job(35s, 2, 20s), job(0s, 2, 20s).reserved("R")});
    const Held h = held(4, 1, spec, w, reserve("R", 2, 40s, 80s));
    CHECK(h.verdict == "");
    CHECK(h.start("a") == 0s);
    CHECK(h.start("d") == 40s);
    CHECK(h.start("b") == 80s);
  }
}

TEST_CASE("a short job runs before a reservation, and one that would cross it does not") {
  for (const char* spec : kBackfills) {
    INFO(spec);
    const Workload w = workload({job(0s, 1, 50s).estimate(60s), job(0s, 1, 40s)});
    const Held h = held(1, 1, spec, w, reserve("R", 1, 40s, 100s));
    CHECK(h.verdict == "");
    CHECK(h.start("a") == 100s);
    // Strict order makes the second one wait for the first.
    CHECK(h.start("b") == (std::string{spec} == "fifo" ? 150s : 0s));
  }
}

TEST_CASE("jobs that are tied and not done when it ends are stopped, or never start") {
  // a runs longer than it says, and would be killed at its limit without kill_at_limit=false.
  const Workload w = workload({job(0s, 1, 100s).estimate(20s).reserved("R"),
                               job(0s, 1, 30s).reserved("R"), job(0s, 1, 5s).reserved("R")});
  const Held h = held(1, 1, "batch:kill_at_limit=false", w, reserve("R", 1, 10s, 40s));
  CHECK(h.verdict == "");
  CHECK(h.start("a") == 10s);
  CHECK(h.state("a") == JobState::timeout);
  CHECK(h.end("a") == 40s);
  CHECK(h.state("b") == JobState::cancelled_pending);
  CHECK(h.state("c") == JobState::cancelled_pending);
  REQUIRE(h.summary.warnings.size() == 1);
  CHECK(h.summary.warnings[0] ==
        "reservation_over: 2 jobs had not started when reservation R ended");
}

TEST_CASE("a reservation that nobody is tied to is told") {
  const Workload w = workload({job(0s, 1, 70s)});
  const Held h = held(3, 1, "fifo", w, reserve("R", 2, 10s, 60s));
  REQUIRE(h.summary.warnings.size() == 1);
  CHECK(
      h.summary.warnings[0] ==
      "reservation_unused: reservation R kept its nodes for nobody: no job was tied to it, by its "
      "column reservation");
}

TEST_CASE("in a reservation whoever fits goes, in queue order") {
  const Workload w = workload({job(0s, 2, 10s).reserved("R"), job(0s, 2, 10s).reserved("R"),
                               job(0s, 1, 30s).reserved("R")});
  const Held h = held(3, 1, "fifo", w, reserve("R", 3, 10s, 60s));
  CHECK(h.verdict == "");
  CHECK(h.start("a") == 10s);
  CHECK(h.start("c") == 10s);
  CHECK(h.start("b") == 20s);
}

TEST_CASE("an overrunning job makes way for a reservation, and falls back to its checkpoint") {
  const Workload w =
      workload({job(0s, 1, 70s).estimate(20s).checkpoints(15s), job(0s, 1, 5s).reserved("R")});
  const Held h = held(1, 1, "batch:kill_at_limit=false", w, reserve("R", 1, 40s, 50s));
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 40s);
  CHECK(h.end("a") == 50s + 70s - 30s);  // two checkpoints by 40
}

TEST_CASE("who may be tied to a reservation") {
  auto plan = reserve("R", 1, 10s, 50s);
  plan.reservations[0].users = {"ann"};
  plan.reservations.push_back({"S", kStart, kStart + 10s, kStart + 50s, 1, {}, kNoJob, {}, {}});
  const Workload w =
      workload({job(0s, 1, 5s).reserved("R").user("ann"), job(0s, 1, 5s).reserved("R").user("bob"),
                job(0s, 1, 5s).reserved("S"), job(0s, 1, 5s).reserved("T"),
                job(60s, 1, 5s).reserved("R").user("ann")});
  const Held h = held(1, 1, "easy", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::completed);
  REQUIRE(h.summary.rejections.size() == 4);
  CHECK(h.summary.rejections[0].text ==
        "job b is tied to reservation R, which is not for user bob");
  CHECK(h.summary.rejections[1].text ==
        "job c is tied to reservation S, which was denied: reservation S needs 1 node from 10 s to "
        "50 s, but from 10 s to 50 s only 0 nodes are unreserved");
  CHECK(h.summary.rejections[2].text ==
        "job d is tied to reservation T, and the experiment has none of that name");
  CHECK(h.summary.rejections[3].text == "job e is tied to reservation R, which ended at 50 s");
}

TEST_CASE("running jobs are in the way of a reservation as long as they say they run") {
  const Workload w = workload({job(0s, 2, 100s)});
  auto plan = reserve("R", 3, 50s, 90s);
  plan.reservations[0].requested = kStart + 10s;
  const Held h = held(4, 1, "easy", w, plan);
  REQUIRE(h.summary.reservations.size() == 1);
  CHECK(h.summary.reservations[0].code == "nodes_in_use");
  CHECK(h.summary.reservations[0].text ==
        "reservation R needs 3 nodes from 50 s to 90 s, but only 2 such nodes are unreserved all "
        "that time and by the estimates idle at its beginning");
}

TEST_CASE("a hero job: the nodes are drained for it, and it starts on time") {
  // Without it, small jobs that keep coming pass the wide one under greedy skipping.
  std::vector<TestJob> jobs{job(0s, 4, 40s).named("hero").reserved("H")};
  for (int i = 0; i < 40; ++i) jobs.push_back(job(i * 5s, 1, 20s));
  const Workload w = workload(jobs);
  OutagePlan plan;
  plan.reservations.push_back({"H", kStart, kStart + 60s, kNever, 0, {}, JobId{0}, {}, {}});
  const Held h = held(4, 1, "batch:skip=true", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.start("hero") == 60s);
  CHECK(h.end("hero") == 100s);
}

TEST_CASE("idle GPUs that a reservation keeps from waiting jobs are idle.reserved") {
  const Workload w = workload({job(0s, 2, 50s), job(100s, 1, 10s).reserved("R")});
  const Held h = held(2, 1, "easy", w, reserve("R", 2, 40s, 120s));
  CHECK(h.verdict == "");
  CHECK(h.start("a") == 120s);
  // a waits from 0 on for both nodes, which are free but for ten seconds in which b has one of them.
  CHECK(h.gpu_s(GpuClass::idle_reserved) == 2 * 110);
  CHECK(h.gpu_s(GpuClass::idle_too_few) == 10);
  CHECK(h.wait_s(Cause::reservation) == 110);
  CHECK(h.wait_s(Cause::capacity) == 10);
}

TEST_CASE(
    "a tied job that is preempted where a spare took it waits for its reservation, and no longer") {
  // n0, the reserved node, fails at 20, and a goes on with the spare n1, which is everybody's then. b needs that at
  // 30. Nobody may start a outside of its reservation any more, and at 100 that is over.
  const Workload w =
      workload({job(0s, 1, 60s).reserved("R"), job(30s, 1, 200s).priority(5), job(40s, 1, 10s)});
  OutagePlan plan = reserve("R", 1, 0s, 100s);
  plan.reservations[0].count = 0;
  plan.reservations[0].nodes = {NodeId{0}};
  plan.outages = {down({0}, 20s, 1000s)};
  plan.reaction.swap = true;
  plan.spares = {NodeId{1}};
  const Held h = held(2, 1, "batch:backfill=easy,preemption=requeue", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 30s);
  CHECK(h.state("a") == JobState::cancelled_pending);
  CHECK(h.end("a") == 100s);
  CHECK(h.start("c") == 230s);
}
