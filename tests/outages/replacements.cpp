// A node of a job fails, and the job goes on: with a spare, in the place of others, or with less.

#include "catch.hpp"
#include "muster/io/fleet.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

TEST_CASE("a job waits for its cold spare, and hot ones come first") {
  const Workload w = workload({job(0s, 2, 100s).checkpoints(10s, 2s)});
  OutagePlan plan = plan_of({down({0}, 30s, 500s)});
  plan.reaction.swap = true;
  plan.reaction.activation = 20s;
  plan.spares = plan.cold_spares = {NodeId{2}};
  const Held cold = held(3, 1, "easy", w, plan);
  CHECK(cold.verdict == "");
  CHECK(cold.end("a") == 30s + 22s + 70s);
  CHECK(cold.gpu_s(GpuClass::starting) == 2 * 22);
  CHECK(cold.gpu_s(GpuClass::idle_reserved) == 30);

  plan.spares = {NodeId{2}, NodeId{3}};
  const Held hot = held(4, 1, "easy", w, plan);
  CHECK(hot.verdict == "");
  CHECK(hot.end("a") == 30s + 2s + 70s);

  plan.outages.push_back(down({1}, 62s, 500s));  // now it has to be the cold one
  const Held both = held(4, 1, "easy", w, plan);
  CHECK(both.verdict == "");
  CHECK(both.end("a") == 62s + 22s + 40s);
}

TEST_CASE("a spare takes the place of a node with all of its jobs") {
  // a, b and c have two GPUs each of n0, d has n1. The one spare is cold, so all three wait for it, and lose 5.
  const Workload w = workload({job(0s, 2, 100s).checkpoints(10s), job(0s, 2, 100s).checkpoints(10s),
                               job(0s, 2, 100s).checkpoints(10s), job(0s, 8, 100s)});
  OutagePlan plan = plan_of({down({0}, 35s, 500s)});
  plan.reaction.swap = true;
  plan.reaction.activation = 20s;
  plan.spares = plan.cold_spares = {NodeId{2}};
  const Held h = held(3, 8, "batch:backfill=easy,placer=pack", w, plan);
  CHECK(h.verdict == "");
  for (const char* j : {"a", "b", "c"}) CHECK(h.end(j) == 35s + 20s + 70s);
  CHECK(h.end("d") == 100s);
  CHECK(h.report.interruptions == 3);
  CHECK(h.gpu_s(GpuClass::lost) == 3 * 2 * 5);
}

TEST_CASE("where no spare is left a less urgent job makes way, if it may be evicted") {
  const Workload w = workload(
      {job(0s, 2, 100s).checkpoints(10s, 2s).priority(1), job(0s, 1, 100s).checkpoints(10s, 1s)});
  OutagePlan plan = plan_of({down({0}, 35s, 500s)});
  plan.reaction.swap = plan.reaction.evict = true;
  const Held h = held(3, 1, "batch:order=priority,backfill=easy", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.end("a") == 35s + 2s + 70s);
  CHECK(h.end("b") == 107s + 1s + 70s);
  CHECK(h.report.preemptions == 1);
  CHECK(h.report.interruptions == 1);
  CHECK(h.gpu_s(GpuClass::lost) == 2 * 5 + 5);

  SECTION("not one that is as urgent") {
    const Workload equal =
        workload({job(0s, 2, 100s).checkpoints(10s, 2s), job(0s, 1, 100s).checkpoints(10s, 1s)});
    const Held waits = held(3, 1, "easy", equal, plan);
    CHECK(waits.verdict == "");
    CHECK(waits.report.preemptions == 0);
    CHECK(waits.end("a") == 100s + 2s + 70s);
  }
  SECTION("nor one with a grace time, for which the other would have to wait") {
    const Workload slow = workload({job(0s, 2, 100s).checkpoints(10s, 2s).priority(1),
                                    job(0s, 1, 100s).checkpoints(10s, 1s).grace(5s)});
    const Held waits = held(3, 1, "easy", slow, plan);
    CHECK(waits.report.preemptions == 0);
    CHECK(waits.end("a") == 100s + 2s + 70s);
  }
  SECTION("and nobody where a node is idle that is promised to nobody") {
    const Held idle = held(4, 1, "easy", w, plan);
    CHECK(idle.verdict == "");
    CHECK(idle.report.preemptions == 0);
    CHECK(idle.end("a") == 35s + 2s + 70s);
    plan.reservations = reserve("R", 1, 200s, 300s).reservations;
    const Held kept = held(4, 1, "easy", w, plan);
    CHECK(kept.verdict == "");
    CHECK(kept.summary.reservations[0].confirmed);
    CHECK(kept.end("a") == 35s + 2s + 70s);
  }
}

TEST_CASE("of two that could make way it is the less urgent one, then the later one") {
  const auto evicted = [](std::int32_t b, std::int32_t c, Duration start_of_c) {
    const Workload w =
        workload({job(0s, 1, 100s).checkpoints(10s).priority(5), job(0s, 1, 1000s).priority(b),
                  job(start_of_c, 1, 1000s).priority(c)});
    OutagePlan plan = plan_of({down({0}, 35s, 500s)});
    plan.reaction.swap = plan.reaction.evict = true;
    const Held h = held(3, 1, "easy", w, plan);
    CHECK(h.verdict == "");
    CHECK(h.end("a") == 105s);
    return h.end("b") > h.end("c") ? "b" : "c";
  };
  CHECK(evicted(1, 2, 0s) == std::string{"b"});
  CHECK(evicted(2, 1, 0s) == std::string{"c"});
  CHECK(evicted(1, 1, 5s) == std::string{"c"});
}

TEST_CASE("an elastic job goes on with the nodes that it has left, and need not start again") {
  const auto ran = [](bool shrink, std::uint32_t least, const std::string& more = "") {
    const Workload w = workload({job(0s, 4, 99s).checkpoints(10s, 60s).elastic(least, 4)});
    OutagePlan plan = plan_of({down({0}, 35s, 500s)});
    plan.reaction.shrink = shrink;
    const Held h = held(4, 1, "elastic:sizes=edl,resize_cost=5" + more, w, plan);
    CHECK(h.verdict == "");
    CHECK(h.report.interruptions == 1);
    CHECK(h.gpu_s(GpuClass::lost) == 4 * 5);
    return h;
  };
  // 30 s are kept; the other 69 take 92 on three GPUs.
  CHECK(ran(true, 2).end("a") == 35s + 5s + 92s);
  CHECK(ran(true, 2).report.reshapes.resizes == 0);  // which are those of the policy
  CHECK(ran(false, 2).end("a") == 35s + 60s + 92s);
  // It needs all four.
  CHECK(ran(true, 4).end("a") == 500s + 60s + 69s);
}

TEST_CASE("a job that shrank grows again when the node is back") {
  const Workload w = workload({job(0s, 4, 100s).checkpoints(10s).elastic(1, 4)});
  OutagePlan plan = plan_of({down({1, 2}, 20s, 60s)});
  plan.reaction.shrink = true;
  const Held h = held(4, 1, "elastic:sizes=edl", w, plan);
  CHECK(h.verdict == "");
  // 20 s at 4, 40 s at 2 (as much as 20 at 4), and the rest at 4.
  CHECK(h.end("a") == 60s + 60s);
  CHECK(h.report.reshapes.resizes == 1);
}

TEST_CASE("where the node is back at once its job goes on where it is") {
  FailureProcess xid;
  xid.name = "xid";
  xid.rate = 1000 * 86400 / 300.0;
  xid.repair = FailureProcess::Repair::fixed;
  OutagePlan plan;
  plan.failures.processes = {xid};
  plan.reaction.swap = true;
  plan.spares = {NodeId{2}};
  // b waits for a's nodes all the while, and would get in if a had to wait again.
  const Workload w =
      workload({job(0s, 2, 2'000s).checkpoints(10s, 3s), job(1s, 1, 10s).priority(9)});
  const Held h = held(3, 1, "batch:order=priority,backfill=none", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.report.interruptions > 5);
  CHECK(h.start("b") == h.end("a"));
  CHECK(h.gpu_s(GpuClass::idle_reserved) == (h.end("b")) / 1s);
  CHECK(h.gpu_s(GpuClass::starting) <= 2 * 3 * static_cast<std::int64_t>(h.report.interruptions));
}

TEST_CASE(
    "what takes a node's place is in the domain that was asked for, also if one wide node would "
    "do") {
  const Fleet fleet = parse_fleet(R"({"groups": [
      {"count": 1, "gpus": 8, "gpu_type": "A", "prefix": "a"},
      {"count": 4, "gpus": 1, "gpu_type": "B", "prefix": "b", "nodes_per_leaf": 2}]})",
                                  "test");
  // g, for which A has no room, runs on the nodes 1 and 2; 3 and 4 are idle, in another leaf.
  const Workload w = workload({job(0s, 8, 1000s).types("A").named("a"),
                               job(0s, 2, 100s).inside(Level::leaf).checkpoints(10s).named("g")});
  OutagePlan plan = plan_of({down({1}, 55s, 900s)});
  plan.reaction.swap = plan.reaction.evict = true;
  const Held h = held(fleet, "rounds:objective=fifo,round=10s", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.report.interruptions == 1);
  CHECK(h.gpu_s(GpuClass::lost) == 2 * 5);
}
