// Failures that are drawn, against what theory says of them.

#include <cmath>

#include "catch.hpp"
#include "muster/engine/failure_laws.hpp"
#include "support/outages.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;
using Failures = OutagePlan::Failures;
using Law = FailureProcess::Law;
using Repair = FailureProcess::Repair;
using Scope = FailureProcess::Scope;

namespace {

constexpr double kStudent99 = 2.756;  // two-sided, 29 degrees of freedom

struct Sample {
  std::vector<double> values;
  double mean() const {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
  }
  /// Half of the 99 % confidence interval of the mean of 30.
  double half() const {
    double sum = 0;
    for (const double v : values) sum += (v - mean()) * (v - mean());
    const auto n = static_cast<double>(values.size());
    return kStudent99 * std::sqrt(sum / (n - 1) / n);
  }
};

/// One failure of each per `mttf`, on average, repaired at once.
FailureProcess process(const std::string& name, Scope scope, Law law, Duration mttf) {
  FailureProcess p;
  p.name = name;
  p.scope = scope;
  p.law = law;
  p.rate = 1000 * 86400 / seconds(mttf);
  p.repair = Repair::fixed;
  p.repair_time = Duration{1};
  return p;
}

/// One failure per `mttf` of a node, on average.
OutagePlan drawn(Law law, Duration mttf, std::uint64_t seed) {
  OutagePlan plan;
  plan.failures.processes = {process("node", Scope::node, law, mttf)};
  plan.failures.seed = seed;
  return plan;
}

/// When nodes fail and come back.
class Events final : public Observer {
 public:
  void node(const NodeRecord& r) override {
    if (r.after == Service::down) failures[r.node.value].push_back(r.at);
    if (r.before == Service::down) repairs[r.node.value].push_back(r.at);
  }
  std::map<std::uint32_t, std::vector<SimTime>> failures, repairs;
};

Events events_of(std::uint32_t nodes, const OutagePlan& plan, Duration length) {
  const Workload w = workload({job(0s, 1, length + 1s)});
  EngineOptions options;
  options.horizon = length;
  options.on_livelock = OnLivelock::go_on;  // the job need not get anything done
  options.outages = std::make_shared<const OutagePlan>(plan);
  Events events;
  simulate(Fleet::uniform(nodes, 8), w, *policy("fifo"), options, events);
  return events;
}

}  // namespace

TEST_CASE("with exponential failures the time a job takes is Daly's, in 30 seeds") {
  // Daly, FGCS 22(3), 2006: M e^(R/M) (e^((tau + delta)/M) - 1) per interval; the last one writes no
  // checkpoint here.
  constexpr double kRestart = 30;
  for (const double mttf : {2000.0, 6000.0})
    for (const double interval : {250.0, 1000.0})
      for (const double cost : {10.0, 60.0}) {
        const int intervals = interval < 500 ? 120 : 30;
        const auto ns = [](double s) { return Duration{static_cast<std::int64_t>(s * 1e9)}; };
        Workload w = workload(
            {job(0s, 1, ns(interval * intervals)).checkpoints(ns(interval), ns(kRestart))});
        w.checkpoint_cost.assign(1, ns(cost));
        Sample times;
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
          const Held h = held(1, 1, "fifo", w, drawn(Law::exponential, ns(mttf), seed));
          CHECK(h.verdict == "");
          times.values.push_back(seconds(h.end("a")));
        }
        const double expected =
            mttf * std::exp(kRestart / mttf) *
            ((intervals - 1) * std::expm1((interval + cost) / mttf) + std::expm1(interval / mttf));
        INFO("MTTF " << mttf << ", interval " << interval << ", cost " << cost << ": mean "
                     << times.mean() << " +- " << times.half() << ", expected " << expected);
        CHECK(std::abs(times.mean() - expected) <= times.half());
        // The interval must tell: another formula, without the restart, lies outside somewhere.
        CHECK(times.half() < 0.2 * expected);
      }
}

TEST_CASE("the effective training time ratio is that of its formula, in 30 seeds") {
  // Four nodes; few failures, so that the formula's first order is exact enough. The job stops for 6 s, and
  // in the second case its checkpoints are there 400 s after that.
  Workload w = workload({job(0s, 4, 2'000'000s).checkpoints(600s, 60s)});
  w.checkpoint_cost.assign(1, 6s);
  for (const auto& [write, late] : {std::pair<Duration, double>{0s, 0}, {400s, 400}}) {
    Sample ratios;
    double expected = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      OutagePlan plan = drawn(Law::exponential, 400'000s, seed);
      plan.write_time.assign(1, write);
      const Held h = held(4, 1, "fifo", w, plan);
      CHECK(h.report.interruptions > 5);
      ratios.values.push_back(h.report.ettr);
      expected = expected_ettr(plan, Fleet::uniform(4, 1), w);
    }
    CHECK(expected == Approx((1 - 4 / 400'000.0 * (60 + 300 + late)) / (1 + 6 / 600.0)));
    INFO("mean " << ratios.mean() << " +- " << ratios.half() << ", expected " << expected);
    CHECK(std::abs(ratios.mean() - expected) <= ratios.half());
    CHECK(ratios.half() < 0.001);
  }
}

TEST_CASE("lives have the mean that was asked for, whatever the law") {
  for (const auto& [law, shape] : {std::pair{Law::exponential, 1.0},
                                   {Law::weibull, 0.7},
                                   {Law::weibull, 2.0},
                                   {Law::lognormal, 0.8}}) {
    OutagePlan plan = drawn(law, 1000s, 7);
    plan.failures.processes[0].shape = shape;
    const Events events = events_of(30, plan, 2'000'000s);
    Sample by_node;
    for (const auto& [n, failures] : events.failures)
      by_node.values.push_back(2'000'000.0 / static_cast<double>(failures.size()));
    REQUIRE(by_node.values.size() == 30);
    INFO("mean life " << by_node.mean() << " +- " << by_node.half());
    CHECK(std::abs(by_node.mean() - 1000) <= by_node.half() + 1);
  }
}

TEST_CASE("repairs are lognormal by default, with the median that was asked for") {
  OutagePlan plan = drawn(Law::exponential, 1000s, 3);
  plan.failures.processes[0].repair = Repair::lognormal;
  plan.failures.processes[0].repair_time = 200s;
  plan.failures.processes[0].repair_sigma = 1;
  const Events events = events_of(40, plan, 200'000s);
  std::vector<double> logs;
  for (const auto& [n, repairs] : events.repairs)
    for (std::size_t i = 0; i < repairs.size(); ++i)
      logs.push_back(std::log(seconds(repairs[i] - events.failures.at(n)[i])));
  std::sort(logs.begin(), logs.end());
  const auto at = [&](double p) {
    return logs[static_cast<std::size_t>(p * static_cast<double>(logs.size()))];
  };
  REQUIRE(logs.size() > 4000);
  CHECK(at(0.5) == Approx(std::log(200.0)).margin(0.05));
  CHECK(at(0.8413) - at(0.5) == Approx(1).margin(0.06));
  CHECK(at(0.5) - at(0.1587) == Approx(1).margin(0.06));
}

TEST_CASE("what is drawn for one node and purpose depends on nothing else") {
  OutagePlan plan = drawn(Law::exponential, 1000s, 11);
  const Events few = events_of(3, plan, 50'000s), many = events_of(9, plan, 50'000s);
  for (const std::uint32_t n : {0U, 1U, 2U}) CHECK(few.failures.at(n) == many.failures.at(n));
  CHECK(few.failures.at(0) != few.failures.at(1));
  // The first life is the same whatever repairs are like.
  plan.failures.processes[0].repair = Repair::exponential;
  plan.failures.processes[0].repair_time = 500s;
  const Events slow = events_of(3, plan, 50'000s);
  CHECK(slow.failures.at(2).front() == few.failures.at(2).front());
  CHECK(slow.failures.at(2) != few.failures.at(2));
  plan.failures.seed = 12;
  CHECK(events_of(3, plan, 50'000s).failures.at(2).front() != few.failures.at(2).front());
}

TEST_CASE("a node of eight GPUs fails eight times as often as one, by the rate of GPUs") {
  Failures f;
  f.processes = {process("node", Scope::node, Law::exponential, 0s)};
  f.processes[0].rate = 0;
  f.processes[0].gpu_rate = 2;
  const Fleet narrow = Fleet::uniform(2, 1), wide = Fleet::uniform(2, 8);
  CHECK(mttf_of_node(f, narrow, NodeId{0}) == 24h * 500);
  CHECK(mttf_of_node(f, wide, NodeId{0}) == 24h * 500 / 8);
  f.processes[0].rate = 4;
  CHECK(mttf_of_node(f, wide, NodeId{0}) == 24h * 50);
}
