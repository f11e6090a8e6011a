// GPUs and nodes that are slow for a while: whom that slows down, who finds it out, and what is done.

#include <bit>
#include <map>

#include "catch.hpp"
#include "muster/core/random.hpp"
#include "muster/engine/disturbances.hpp"
#include "muster/engine/simulate.hpp"
#include "muster/engine/why.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

using Reaction = Disturbances::Detection::Reaction;

Disturbances::Cause given(std::vector<std::uint32_t> nodes, Duration from, Duration lasts,
                          double slowdown) {
  Disturbances::Cause cause;
  cause.name = "given";
  cause.of = Disturbances::Of::node;
  for (const std::uint32_t n : nodes) cause.nodes.push_back(NodeId{n});
  cause.from = kStart + from;
  cause.length.lasts = lasts;
  cause.length.law = Disturbances::Law::fixed;
  cause.slowdown = slowdown;
  return cause;
}

Disturbances::Cause drawn(const Fleet& fleet, Disturbances::Of of) {
  Disturbances::Cause cause;
  cause.name = "drawn";
  cause.of = of;
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n) cause.nodes.push_back(NodeId{n});
  cause.slowdown = 1.5;
  return cause;
}

Held slow(const Fleet& fleet, const Workload& w, const Disturbances& plan,
          const std::string& spec = "easy:placer=first") {
  const auto p = policy(spec);
  EngineOptions options;
  options.disturbances = std::make_shared<const Disturbances>(plan);
  Rules rules;
  rules.slow = true;
  rules.plans_ahead = p->keeps_reservations();
  return held_to(rules, fleet, w, *p, options);
}

Disturbances looks(Disturbances::Cause cause, Reaction reaction, Duration every = 10s) {
  Disturbances plan;
  plan.causes.push_back(std::move(cause));
  plan.detection.every = every;
  plan.detection.noise = 0;
  plan.detection.reaction = reaction;
  plan.detection.exclude_for = 1000s;
  return plan;
}

}  // namespace

TEST_CASE(
    "a gang computes at the pace of its slowest node, and the rest of its time it waits for it") {
  const Workload w = workload({job(0s, 3, 100s), job(0s, 1, 100s)});
  Disturbances plan;
  plan.causes = {given({1}, 50s, 80s, 2.0), given({2}, 50s, 20s, 1.25)};
  plan.causes[1].name = "less";
  const Held h = slow(Fleet::uniform(4, 1), w, plan);
  CHECK(h.verdict == "");
  // 50 s of work by 50, 40 in the 80 s after it, the last 10 by 140.
  CHECK(h.end("a") == 140s);
  CHECK(h.end("b") == 100s);  // another node
  CHECK(h.gpu_s(GpuClass::run_straggler) == 3 * 40);
  CHECK(h.gpu_s(GpuClass::run_compute) == 3 * 100 + 100);
  CHECK(h.report.stragglers.episodes == 2);
}

TEST_CASE("one slow GPU concerns the job that has it, and no other on the node") {
  const Workload w = workload({job(0s, 1, 100s), job(0s, 1, 100s)});
  Disturbances plan;
  plan.causes = {drawn(Fleet::uniform(1, 2), Disturbances::Of::gpu)};
  plan.causes[0].share = 0.5;
  const Held h = slow(Fleet::uniform(1, 2), w, plan);
  CHECK(h.verdict == "");
  CHECK(std::min(h.end("a"), h.end("b")) == 100s);
  const Duration later = std::max(h.end("a"), h.end("b"));
  CHECK(static_cast<double>(later.count()) == Approx(150e9).epsilon(1e-6));
}

TEST_CASE("neighbours on a node make noise for as long as they are there") {
  const Workload w = workload({job(0s, 1, 100s), job(0s, 1, 40s), job(0s, 2, 50s)});
  Disturbances plan;
  plan.causes.emplace_back();
  plan.causes[0].name = "noise";
  plan.causes[0].of = Disturbances::Of::neighbours;
  plan.causes[0].slowdown = 1.25;
  const Held h = slow(Fleet::uniform(2, 2), w, plan);
  CHECK(h.verdict == "");
  CHECK(h.end("b") == 50s);
  CHECK(h.end("a") == 50s + 60s);
  CHECK(h.end("c") == 50s);
}

TEST_CASE("what nobody looks for goes on; found and left is counted and goes on too") {
  const Workload w = workload({job(0s, 3, 100s)});
  const Held h =
      slow(Fleet::uniform(4, 1), w, looks(given({1}, 50s, kUnlimited, 2.0), Reaction::leave));
  CHECK(h.end("a") == 150s);
  CHECK(h.report.stragglers.alarms == 9);  // at 60, 70, ..., 140
  CHECK(h.report.stragglers.false_alarms == 0);
}

TEST_CASE("a rank that drops out for a while stands still, and its gang with it") {
  Disturbances plan;
  plan.causes = {given({1}, 20s, 40s, 1e6)};
  const Held h = slow(Fleet::uniform(2, 1), workload({job(0s, 2, 100s)}), plan);
  CHECK(h.verdict == "");
  CHECK(h.end("a") == 140s - 40us);  // a millionth of its speed is what is left
  CHECK(h.gpu_s(GpuClass::run_straggler) == 2 * 40 - 1);
}

TEST_CASE("replaced: a checkpoint is written and a free node takes the place of the slow one") {
  const Workload w = workload({job(0s, 3, 100s).checkpoints(1000s, 5s)});
  const Held h =
      slow(Fleet::uniform(4, 1), w, looks(given({1}, 50s, kUnlimited, 2.0), Reaction::replace));
  CHECK(h.verdict == "");
  // 55 s of work by 60, when somebody looks; 5 s of restart; 45 more.
  CHECK(h.end("a") == 110s);
  CHECK(h.report.stragglers.replaced == 1);
  CHECK(h.report.interruptions == 0);  // nothing has failed
  CHECK(h.report.reshapes.moves == 1);
  CHECK(h.report.stragglers.alarms == 1);
  CHECK(h.gpu_s(GpuClass::lost) == 0);
  CHECK(h.gpu_s(GpuClass::starting) == 15);
  // With nobody to take its place it goes on.
  const Held full =
      slow(Fleet::uniform(3, 1), w, looks(given({1}, 50s, kUnlimited, 2.0), Reaction::replace));
  CHECK(full.end("a") == 150s);
  CHECK(full.report.stragglers.replaced == 0);
}

TEST_CASE("excluded: the node is out of service, and its jobs wait again with their work kept") {
  const Workload w = workload({job(0s, 3, 100s).checkpoints(1000s, 5s), job(200s, 4, 10s)});
  const Held h = slow(Fleet::uniform(4, 1), w, looks(given({1}, 50s, 10s, 2.0), Reaction::exclude));
  CHECK(h.verdict == "");
  CHECK(h.end("a") == 110s);
  CHECK(h.report.stragglers.excluded == 1);
  CHECK(h.report.stragglers.stopped == 1);
  CHECK(h.report.interruptions == 0);
  CHECK(h.report.preemptions == 0);
  CHECK(h.report.restarts == 1);
  CHECK(h.start("b") == 1060s);
  CHECK(h.gpu_s(GpuClass::maintenance) == 1000);
}

TEST_CASE("false alarms: as many as the noise puts above the threshold") {
  // Five nodes, a look each second for 2000 s. Of five normal errors of 5 % the largest is more than 10 %
  // above the middle one; how often was found by drawing 400,000 fives: 0.1212.
  const Workload w = workload({job(0s, 5, 2000s)});
  Disturbances plan = looks(given({0}, 5000s, 1s, 2.0), Reaction::leave, 1s);
  plan.detection.noise = 0.05;
  const Held h = slow(Fleet::uniform(5, 1), w, plan);
  const auto found = static_cast<double>(h.report.stragglers.false_alarms);
  CHECK(found == Approx(2000 * 0.1212).margin(4 * std::sqrt(2000 * 0.1212)));
  CHECK(h.report.stragglers.alarms == 0);
  CHECK(h.end("a") == 2000s);
}

TEST_CASE("jobs of two nodes can't say which is slow") {
  const Workload w = workload({job(0s, 2, 100s)});
  const Held h =
      slow(Fleet::uniform(3, 1), w, looks(given({1}, 50s, kUnlimited, 2.0), Reaction::replace));
  CHECK(h.end("a") == 150s);
  CHECK(h.report.stragglers.alarms == 0);
}

TEST_CASE("drawn: as often and for as long as was said, the same for every policy") {
  const Fleet fleet = Fleet::uniform(50, 4);
  const Workload w = workload({job(0s, 1, 24h * 100)});
  Disturbances plan;
  plan.causes = {drawn(fleet, Disturbances::Of::gpu)};
  plan.causes[0].rate = 20;  // 200 GPUs for 100 days: 400
  plan.causes[0].length.lasts = 10h;
  const Held h = slow(fleet, w, plan);
  CHECK(h.verdict == "");
  CHECK(static_cast<double>(h.report.stragglers.episodes) == Approx(400).margin(80));
  const Held again = slow(fleet, w, plan, "fifo");
  CHECK(again.report.stragglers.episodes == h.report.stragglers.episodes);
  plan.seed = 2;
  CHECK(slow(fleet, w, plan).report.stragglers.episodes != h.report.stragglers.episodes);
}

TEST_CASE("a run ends with its last job though GPUs go on becoming slow") {
  const Fleet fleet = Fleet::uniform(2, 1);
  const Workload w = workload({job(0s, 1, 10s), job(0s, 2, 10s)});
  Disturbances plan;
  plan.causes = {drawn(fleet, Disturbances::Of::node)};
  plan.causes[0].rate = 1e6;
  plan.causes[0].length.lasts = 1s;
  const Held h = slow(fleet, w, plan);
  CHECK(h.state("b") == JobState::completed);
}

TEST_CASE(
    "drawn runs: whatever is slow, found and done, both books balance and the referee agrees") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Stream random(seed, "test");
    std::vector<TestJob> jobs;
    for (int j = 0; j < 40; ++j) {
      const auto gpus = static_cast<std::uint32_t>(1 + random.below(12));
      jobs.push_back(job(std::chrono::seconds{static_cast<int>(random.below(2000))}, gpus,
                         std::chrono::seconds{10 + static_cast<int>(random.below(600))})
                         .checkpoints(60s, 7s));
    }
    const Fleet fleet = Fleet::uniform(8, 2);
    Disturbances plan;
    plan.seed = seed;
    plan.causes = {drawn(fleet, Disturbances::Of::gpu), drawn(fleet, Disturbances::Of::node)};
    plan.causes[0].rate = 2e4;
    plan.causes[0].length.lasts = 100s;
    plan.causes[1].name = "lemon";
    plan.causes[1].share = 0.2;
    plan.causes[1].slowdown = 1.2;
    plan.detection.every = 20s;
    plan.detection.noise = 0.05;
    plan.detection.reaction = static_cast<Reaction>(seed % 3);
    plan.detection.exclude_for = 300s;
    for (const char* spec : {"easy", "priority_preempt", "volcano"}) {
      const Held h = slow(fleet, workload(jobs), plan, spec);
      INFO("seed " << seed << " " << spec);
      REQUIRE(h.verdict == "");
    }
  }
}

namespace {

struct Paces final : Observer {
  struct Told {
    Duration at;
    std::vector<PaceRecord::Rank> slow;
    double computing;
  };
  void paced(const PaceRecord& r) override {
    told.push_back({r.at - kStart, {r.slow.begin(), r.slow.end()}, r.computing});
  }
  std::vector<Told> told;
};

}  // namespace

TEST_CASE(
    "which ranks are slow is told when that changes, GPUs of a node that are alike together") {
  const Workload w = workload({job(0s, 8, 100s)});
  Disturbances plan;
  plan.causes = {given({1}, 20s, 60s, 1.5), given({0, 1}, 50s, 10s, 1.2)};
  plan.causes[1].name = "less";
  EngineOptions options;
  options.disturbances = std::make_shared<const Disturbances>(plan);
  const auto p = policy("easy:placer=first");
  Paces paces;
  simulate(Fleet::uniform(2, 4), w, *p, options, paces);
  using Ranks = std::vector<PaceRecord::Rank>;
  REQUIRE(paces.told.size() >= 4);
  CHECK(paces.told[0].at == 20s);
  CHECK(paces.told[0].slow == Ranks{{NodeId{1}, 0b1111, 1.5}});
  CHECK(paces.told[0].computing == 1);
  CHECK(paces.told[1].at == 50s);
  CHECK(paces.told[1].slow == Ranks{{NodeId{0}, 0b1111, 1.2}, {NodeId{1}, 0b1111, 1.5}});
  CHECK(paces.told[2].at == 60s);
  CHECK(paces.told[2].slow == Ranks{{NodeId{1}, 0b1111, 1.5}});
  CHECK(paces.told[3].at == 80s);
  CHECK(paces.told[3].slow.empty());
}

TEST_CASE("of one node only the GPUs that are slow, and all of it where neighbours are") {
  Disturbances plan;
  Disturbances::Cause gpu = drawn(Fleet::uniform(1, 4), Disturbances::Of::gpu);
  gpu.share = 0.25;  // one of them
  plan.causes = {gpu};
  EngineOptions options;
  const auto p = policy("easy:placer=first");
  SECTION("a GPU") {
    options.disturbances = std::make_shared<const Disturbances>(plan);
    Paces paces;
    simulate(Fleet::uniform(1, 4), workload({job(0s, 4, 100s)}), *p, options, paces);
    REQUIRE(paces.told.size() == 1);
    REQUIRE(paces.told[0].slow.size() == 1);
    CHECK(std::popcount(paces.told[0].slow[0].gpus) == 1);
  }
  SECTION("and neighbours") {
    plan.causes.emplace_back();
    plan.causes[1].name = "noise";
    plan.causes[1].of = Disturbances::Of::neighbours;
    plan.causes[1].slowdown = 1.1;
    options.disturbances = std::make_shared<const Disturbances>(plan);
    Paces paces;
    simulate(Fleet::uniform(1, 4), workload({job(0s, 3, 100s), job(0s, 1, 100s)}), *p, options,
             paces);
    REQUIRE(paces.told.size() >= 2);
    std::map<double, int> gpus;
    for (std::size_t i = 0; i < 2; ++i)
      for (const PaceRecord::Rank& rank : paces.told[i].slow)
        gpus[rank.slowdown] += std::popcount(rank.gpus);
    CHECK(gpus == std::map<double, int>{{1.1, 3}, {1.5, 1}});
  }
}

TEST_CASE("why --cost names what is slow") {
  const Workload w = workload({job(0s, 3, 100s)});
  const auto p = policy("easy:placer=first");
  EngineOptions options;
  Disturbances plan;
  plan.causes = {given({1}, 0s, kUnlimited, 2.0)};
  options.disturbances = std::make_shared<const Disturbances>(plan);
  const CostReport report = why_cost(Fleet::uniform(4, 1), w, *p, options, JobId{0}, SimTime{10s});
  REQUIRE(report.terms.size() == 2);
  CHECK(report.terms[0].units == 1);
  CHECK(report.terms[1].units == Approx(1).epsilon(1e-5));
  CHECK(report.terms[1].because == "given: some of its GPUs on n1 compute 2 times as long");
}
