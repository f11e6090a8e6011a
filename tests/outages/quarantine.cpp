// Lemons: nodes that fail more often than others; and quarantine, which takes such nodes out.

#include "catch.hpp"
#include "muster/engine/failure_laws.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

OutagePlan plan_with(Duration mttf, Duration repair, std::uint64_t seed) {
  FailureProcess p;
  p.rate = 1000 * 86400 / seconds(mttf);
  p.repair = FailureProcess::Repair::fixed;
  p.repair_time = repair;
  OutagePlan plan;
  plan.failures.processes = {p};
  plan.failures.seed = seed;
  return plan;
}

std::uint64_t times(const Held& h, const std::string& cause) {
  for (const OutageCount& c : h.summary.outages)
    if (c.cause == cause) return c.times;
  return 0;
}

struct Failures final : Observer {
  void node(const NodeRecord& r) override { by_node[r.node.value] += r.after == Service::down; }
  std::map<std::uint32_t, std::uint32_t> by_node;
};

}  // namespace

TEST_CASE("a lemon fails so many times as often, and the others as before") {
  const Workload w = workload({job(0s, 1, 2'000'001s)});
  EngineOptions options;
  options.horizon = 2'000'000s;
  options.on_livelock = OnLivelock::go_on;
  OutagePlan plan = plan_with(50'000s, Duration{1}, 4);
  const auto run = [&] {
    options.outages = std::make_shared<const OutagePlan>(plan);
    Failures failures;
    simulate(Fleet::uniform(4, 1), w, *policy("fifo"), options, failures);
    return failures.by_node;
  };
  const auto before = run();
  plan.failures.lemons = {NodeId{2}};
  plan.failures.lemon_factor = 20;
  const auto after = run();
  for (const std::uint32_t n : {0U, 1U, 3U}) CHECK(after.at(n) == before.at(n));
  // 40 before; 800 now, give or take 3.5 standard deviations.
  CHECK(std::abs(after.at(2) - 800.0) < 3.5 * std::sqrt(800.0));
  CHECK(mttf_of_node(plan.failures, Fleet::uniform(4, 1), NodeId{2}) == 2'500s);
  CHECK(mttf_of_node(plan.failures, Fleet::uniform(4, 1), NodeId{1}) == 50'000s);
}

TEST_CASE("a node that fails again and again is out for a while, counted from the last failure") {
  const Workload w = workload({job(0s, 1, 30s), job(62s, 1, 10s), job(165s, 1, 10s)});
  OutagePlan plan = plan_of({down({0}, 40s, 41s), down({0}, 50s, 51s), down({0}, 60s, 61s)});
  plan.quarantine = {3, 25s, 100s};
  const Held h = held(1, 1, "easy", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 160s);
  CHECK(h.gpu_s(GpuClass::down) == 1 + 1 + 100);
  CHECK(times(h, "quarantine") == 1);
  CHECK(h.start("c") == 170s);

  SECTION("failures that are too far apart are none") {
    plan.quarantine.window = 19s;
    const Held apart = held(1, 1, "easy", w, plan);
    CHECK(apart.start("b") == 62s);
    CHECK(times(apart, "quarantine") == 0);
  }
  SECTION("those before a quarantine do not count after it") {
    plan.outages.push_back(down({0}, 161s, 162s));
    const Held again = held(1, 1, "easy", w, plan);
    CHECK(again.verdict == "");
    CHECK(again.start("b") == 160s);
    CHECK(times(again, "quarantine") == 1);
  }
}

TEST_CASE("quarantine for good: the node does not come back") {
  const Workload w = workload({job(0s, 1, 30s), job(70s, 1, 10s), job(70s, 1, 10s)});
  OutagePlan plan = plan_of({down({0}, 40s, 41s), down({0}, 50s, 51s)});
  plan.quarantine.after = 2;
  const Held h = held(2, 1, "easy", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.start("b") == 70s);
  CHECK(h.start("c") == 80s);
  CHECK(h.gpu_s(GpuClass::down) == 1 + 40);
}

TEST_CASE("a switch that fails does not make its nodes suspects") {
  OutagePlan plan = plan_with(400s, 10s, 2);
  plan.failures.processes[0].scope = FailureProcess::Scope::leaf;
  plan.quarantine.after = 1;
  const Held h = held(2, 1, "easy", workload({job(0s, 2, 3'000s).checkpoints(10s)}), plan);
  CHECK(h.verdict == "");
  CHECK(times(h, "node") > 2);
  CHECK(times(h, "quarantine") == 0);
  CHECK(h.state("a") == JobState::completed);
}

TEST_CASE("with lemons in the fleet quarantine raises goodput") {
  // A gang of 12 of 16 nodes, of which two fail thirty times as often as the others.
  const Workload w = workload({job(0s, 12, 100'000s).checkpoints(1'000s, 100s)});
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    OutagePlan plan = plan_with(100'000s, 60s, seed);
    plan.failures.lemons = {NodeId{1}, NodeId{6}};
    plan.failures.lemon_factor = 30;
    const Held without = held(16, 1, "easy", w, plan);
    plan.quarantine = {3, 20'000s, 400'000s};
    const Held with = held(16, 1, "easy", w, plan);
    CHECK(without.verdict == "");
    CHECK(with.verdict == "");
    CHECK(times(with, "quarantine") >= 2);
    CHECK(with.report.interruptions < without.report.interruptions);
    CHECK(with.report.ettr > without.report.ettr);
    const auto goodput = [](const Held& h) {
      return share(h.report.useful_gpu_time, h.report.available());
    };
    better += goodput(with) > goodput(without) && with.end("a") < without.end("a");
  }
  CHECK(better == 5);
}
