// Several processes of failures side by side: what fails takes down what hangs on it, and is counted.

#include "catch.hpp"
#include "muster/engine/failure_laws.hpp"
#include "muster/io/fleet.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;
using Law = FailureProcess::Law;
using Scope = FailureProcess::Scope;

namespace {

/// One failure of each thing per `mttf`, on average; each repair takes `repair`.
FailureProcess process(const std::string& name, Scope scope, Duration mttf, Duration repair) {
  FailureProcess p;
  p.name = name;
  p.scope = scope;
  p.rate = 1000 * 86400 / seconds(mttf);
  p.repair = FailureProcess::Repair::fixed;
  p.repair_time = repair;
  return p;
}

OutagePlan plan_with(std::vector<FailureProcess> processes, std::uint64_t seed = 1) {
  OutagePlan plan;
  plan.failures.processes = std::move(processes);
  plan.failures.seed = seed;
  return plan;
}

struct Watched final : Observer {
  void node(const NodeRecord& r) override {
    if (r.after == Service::down) down[r.node.value].push_back(r.at - kStart);
    if (r.before == Service::down) up[r.node.value].push_back(r.at - kStart);
  }
  std::map<std::uint32_t, std::vector<Duration>> down, up;
};

/// So long a run of `fleet`, in which a job of one GPU does what it can.
Watched watch(const Fleet& fleet, const OutagePlan& plan, Duration length) {
  const Workload w = workload({job(0s, 1, length + 1s)});
  EngineOptions options;
  options.horizon = length;
  options.on_livelock = OnLivelock::go_on;
  options.outages = std::make_shared<const OutagePlan>(plan);
  Watched watched;
  simulate(fleet, w, *policy("fifo"), options, watched);
  return watched;
}

Int128 lost(const Held& h) {
  Int128 sum = 0;
  for (const OutageCount& c : h.summary.outages) sum += c.lost;
  return sum;
}

Fleet two_leaves() {
  return parse_fleet(R"({"groups": [{"count": 6, "gpus": 4, "nodes_per_leaf": 3}]})", "two leaves");
}

}  // namespace

TEST_CASE("things that live for centuries fail as seldom as their rate says") {
  // Each of 20,000 GPUs lives 1000 years on average, which no Duration holds: 20,000 years are waited for.
  OutagePlan plan;
  FailureProcess seldom;
  seldom.scope = FailureProcess::Scope::gpu;
  seldom.rate = 1000.0 / 365'000;
  seldom.repair = FailureProcess::Repair::fixed;
  seldom.repair_time = 1s;
  plan.failures.processes = {seldom};
  const Workload w = workload({job(0s, 1, 24h * 365)});
  const Held h = held(2500, 8, "fifo", w, plan);
  REQUIRE(h.report.outages.size() == 1);
  CHECK(h.report.outages[0].times > 5);
  CHECK(h.report.outages[0].times < 40);
}

TEST_CASE("each GPU, NIC and link fails by its own clock, and takes its node down") {
  const Fleet fleet =
      parse_fleet(R"({"groups": [{"count": 40, "gpus": 8, "wiring": {"nics": 4}}]})", "nics");
  for (const auto& [scope, things] :
       {std::pair{Scope::node, 1}, {Scope::gpu, 8}, {Scope::nic, 4}, {Scope::link, 4}}) {
    const Watched w =
        watch(fleet, plan_with({process("x", scope, 50'000s, Duration{1})}), 1'000'000s);
    std::size_t failures = 0;
    for (const auto& [n, times] : w.down) failures += times.size();
    // A Poisson number: 3.5 standard deviations.
    const double expected = 40 * things * 20.0;
    INFO(things << " things of each node: " << failures << " failures, expected " << expected);
    CHECK(std::abs(static_cast<double>(failures) - expected) < 3.5 * std::sqrt(expected));
  }
}

TEST_CASE("a leaf switch takes all nodes of its leaf down, and these alone, until it is repaired") {
  const Watched w =
      watch(two_leaves(), plan_with({process("leaf", Scope::leaf, 10'000s, 70s)}), 200'000s);
  REQUIRE(w.down.at(0).size() > 5);
  for (const std::uint32_t n : {1U, 2U}) CHECK(w.down.at(n) == w.down.at(0));
  for (const std::uint32_t n : {4U, 5U}) CHECK(w.down.at(n) == w.down.at(3));
  CHECK(w.down.at(0) != w.down.at(3));
  for (std::size_t i = 0; i < w.up.at(3).size(); ++i) CHECK(w.up.at(3)[i] == w.down.at(3)[i] + 70s);
}

TEST_CASE("a gang on a leaf that fails is interrupted once, and counted once") {
  const Workload w = workload({job(0s, 24, 30'000s).checkpoints(100s)});
  const Held h =
      held(two_leaves(), "fifo", w, plan_with({process("leaf", Scope::leaf, 10'000s, 70s)}, 3));
  CHECK(h.verdict == "");
  REQUIRE(h.summary.outages.size() == 1);
  const OutageCount& c = h.summary.outages[0];
  CHECK(c.cause == "leaf");
  CHECK(c.times > 3);
  CHECK(c.interruptions >= c.times - 1);  // one may come while the other leaf is down
  CHECK(c.interruptions <= c.times);
  CHECK(h.report.interruptions == c.interruptions);
  CHECK(c.lost == h.report.gpu_time[static_cast<std::size_t>(GpuClass::lost)]);
}

TEST_CASE("after a transient failure the node is there at once, and the job falls back") {
  const OutagePlan plan = plan_with({process("xid", Scope::gpu, 2'000s, 0s)}, 5);
  const Workload w = workload({job(0s, 2, 5'000s).checkpoints(100s)});
  const Held h = held(1, 2, "easy", w, plan);
  CHECK(h.verdict == "");
  const Watched watched = watch(Fleet::uniform(1, 2), plan, 50'000s);
  Duration start{}, left = 5'000s;
  std::uint64_t interruptions = 0;
  for (const Duration at : watched.down.at(0)) {
    if (start + left <= at) break;
    left -= (at - start) / 100s * 100s;
    start = at;
    ++interruptions;
  }
  REQUIRE(interruptions > 2);
  CHECK(h.end("a") == start + left);
  CHECK(h.report.interruptions == interruptions);
  CHECK(h.gpu_s(GpuClass::down) == 0);
  CHECK(h.report.availability() == 1);
}

TEST_CASE("failures of one process do not depend on the others, and all are counted by name") {
  const FailureProcess gpu = process("gpu", Scope::gpu, 4'000s, 50s),
                       leaf = process("switch", Scope::leaf, 20'000s, 500s);
  const Watched alone = watch(two_leaves(), plan_with({gpu}), 3'000s),
                both = watch(two_leaves(), plan_with({gpu, leaf}), 3'000s);
  // Before the first failure of a switch nothing differs.
  CHECK(alone.down.at(0).front() == both.down.at(0).front());

  const Workload w = workload({job(0s, 20, 20'000s).checkpoints(100s), job(5s, 4, 9'000s)});
  const Held h = held(two_leaves(), "easy", w, plan_with({gpu, leaf}));
  CHECK(h.verdict == "");
  REQUIRE(h.summary.outages.size() == 2);
  CHECK(h.summary.outages[0].cause == "gpu");
  CHECK(h.summary.outages[1].cause == "switch");
  for (const OutageCount& c : h.summary.outages) {
    CHECK(c.times > 0);
    CHECK(c.interruptions > 0);
  }
  CHECK(h.summary.outages[0].interruptions + h.summary.outages[1].interruptions ==
        h.report.interruptions);
  CHECK(lost(h) == h.report.gpu_time[static_cast<std::size_t>(GpuClass::lost)]);
}

TEST_CASE("what takes nodes away is counted by its cause, and to fail at last is an interruption") {
  const Workload w = workload({job(0s, 1, 60s), job(0s, 1, 200s)});
  OutagePlan plan =
      plan_of({down({0}, 20s, 25s), maintenance({1}, 40s, 50s, 40s), down({0}, 45s, 60s)});
  plan.outages[0].cause = "xid";
  plan.outages[2].cause = "ib";
  plan.reaction.retries = 1;
  const Held h = held(2, 1, "fifo", w, plan);
  CHECK(h.verdict == "");
  CHECK(h.state("a") == JobState::failed);
  REQUIRE(h.summary.outages.size() == 3);
  for (const OutageCount& c : h.summary.outages) {
    CHECK(c.times == 1);
    CHECK(c.interruptions == 1);
  }
  CHECK(h.report.interruptions == 3);
  CHECK(h.summary.outages[1].cause == "maintenance");
  CHECK(h.summary.outages[1].lost == Int128{40'000'000'000} * 1000);
  // 250 s of two GPUs, of which 5 and 15 s were down and 10 in maintenance.
  CHECK(h.report.availability() == Approx(1 - 30 / 500.0));
  CHECK(h.report.interruptions_per_day() == Approx(3 / 250.0 * 86400));
}

TEST_CASE("with a shape below 1 many things fail early") {
  FailureProcess p = process("node", Scope::node, 1'000'000s, Duration{1});
  p.law = Law::weibull;
  p.shape = 0.5;
  const Watched w = watch(Fleet::uniform(2000, 1), plan_with({p}), 100'000s);
  // 1 - exp(-(0.1 Gamma(3))^0.5) of them within a tenth of their mean life; exponential: 9.5 %.
  const double expected = 1 - std::exp(-std::sqrt(0.2));
  const auto share = static_cast<double>(w.down.size()) / 2000;
  INFO(share << ", expected " << expected);
  CHECK(std::abs(share - expected) < 0.035);
}

TEST_CASE("the mean time between failures of a job adds up what it hangs on") {
  OutagePlan::Failures f;
  f.processes = {process("gpu", Scope::gpu, 8'000s, 1s), process("leaf", Scope::leaf, 3'000s, 1s)};
  const Fleet fleet = two_leaves();
  // A node: four GPUs, and its leaf.
  CHECK(seconds(mttf_of_node(f, fleet, NodeId{0})) == Approx(1 / (4 / 8'000.0 + 1 / 3'000.0)));
  const Workload w = workload({job(0s, 16, 1s), job(0s, 1, 1s)});
  // Four nodes of it need both leaves.
  CHECK(seconds(mttf_of_job(f, fleet, w, JobId{0})) == Approx(1 / (16 / 8'000.0 + 2 / 3'000.0)));
  CHECK(seconds(mttf_of_job(f, fleet, w, JobId{1})) == Approx(1 / (4 / 8'000.0 + 1 / 3'000.0)));
}
