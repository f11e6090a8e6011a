// What must be true of every run, whatever the policy: 1,000 drawn runs.

#include "catch.hpp"
#include "muster/metrics/books.hpp"
#include "support/random_runs.hpp"
#include "support/simulation.hpp"
#include "support/wrapped_policy.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// The policy itself, with the cluster recounted after each of its decisions.
class Audited final : public WrappedPolicy {
 public:
  using WrappedPolicy::WrappedPolicy;
  void decide(const View& view, Plan& plan) override {
    WrappedPolicy::decide(view, plan);
    view.cluster.check_invariants();
  }
};

std::vector<ShapeDemand> demands_of(const Workload& w, const Fleet& fleet, const Policy& p) {
  std::vector<ShapeDemand> all;
  for (const Demand& d : resolve_all(w, fleet, p.cutting()))
    all.push_back({d.total_milli(), d.pools});
  return all;
}

struct Ran {
  RunSummary summary;
  std::string verdict;
  Timetable times;
};

/// One run with everything that watches it. Aborts if a ledger does not balance.
Ran watched(const Fleet& fleet, const Workload& jobs, const DrawnPolicy& drawn,
            const EngineOptions& options) {
  Audited p(policy(drawn.spec));
  const Workload w = prepared(jobs, p);
  Rules rules = drawn.rules;
  rules.cancel_running = options.cancel_running;
  rules.by_event = options.passes == Passes::event;
  Referee referee(fleet, w, rules);
  const auto demands = demands_of(w, fleet, p);
  Books books(fleet, w, demands);
  Ran ran{{}, {}, Timetable(w.size())};
  Listeners all({&referee, &books, &ran.times});
  ran.summary = simulate(fleet, w, p, options, all);
  books.close(ran.summary);
  referee.close(ran.summary);
  ran.verdict = referee.verdict();
  return ran;
}

/// All times of a workload, twice as long.
Workload twice(Workload w) {
  const auto stretch = [](auto& column) {
    for (Duration& d : column)
      if (d != kUnknown && d != kUnlimited) d *= 2;
  };
  for (SimTime& t : w.submit) t = kStart + (t - kStart) * 2;
  for (auto* column : {&w.estimate, &w.limit, &w.cancel, &w.checkpoint_interval, &w.restart_cost,
                       &w.grace, &w.truth.duration})
    stretch(*column);
  return w;
}

}  // namespace

TEST_CASE("1,000 drawn runs: the referee has nothing to say, the books balance, twice the same") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Stream r(seed, "conformance");
    const std::string text = draw_fleet(r);
    const Fleet fleet = parse_fleet(text, "drawn");
    const DrawnPolicy drawn = draw_batch(r);
    const EngineOptions options = draw_options(r);
    const Workload w = workload(draw_jobs(r, fleet, 10 + r.below(40), {}));
    INFO("seed " << seed << ": " << drawn.spec << " on " << text);
    const Ran once = watched(fleet, w, drawn, options);
    CHECK(once.verdict == "");
    const Ran again = watched(fleet, w, drawn, options);
    CHECK(once.summary.fingerprint == again.summary.fingerprint);
  }
}

TEST_CASE("a job that is withdrawn as it is submitted changes nothing") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Stream r(seed, "no-op");
    const Fleet fleet = parse_fleet(draw_fleet(r), "drawn");
    const DrawnPolicy drawn = draw_batch(r);
    const EngineOptions options = draw_options(r);
    std::vector<TestJob> jobs = draw_jobs(r, fleet, 30, {});
    INFO("seed " << seed << ": " << drawn.spec);
    const Ran before = watched(fleet, workload(jobs), drawn, options);
    jobs.insert(jobs.begin(), TestJob(jobs.front()).cancel(0s).named("nobody"));
    const Ran after = watched(fleet, workload(jobs), drawn, options);
    REQUIRE(before.times.start.size() + 1 == after.times.start.size());
    bool same = true;
    for (std::uint32_t i = 0; i < before.times.start.size(); ++i)
      same = same && before.times.start[JobId{i}] == after.times.start[JobId{i + 1}] &&
             before.times.end[JobId{i}] == after.times.end[JobId{i + 1}];
    CHECK(same);
  }
}

TEST_CASE("twice the durations, twice the schedule") {
  Spice spice;
  spice.wrong_estimates = false;  // without an estimate, or beyond it, absolute times come in
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Stream r(seed, "twice");
    const Fleet fleet = parse_fleet(draw_fleet(r), "drawn");
    DrawnPolicy drawn = draw_batch(r);
    while (!drawn.static_order) drawn = draw_batch(r);  // a half-life is such a time too
    EngineOptions options = draw_options(r);
    const Workload w = workload(draw_jobs(r, fleet, 30, spice));
    INFO("seed " << seed << ": " << drawn.spec);
    const Ran once = watched(fleet, w, drawn, options);
    options.scheduling_interval *= 2;
    const Ran doubled = watched(fleet, twice(w), drawn, options);
    bool same = true;
    for (std::uint32_t i = 0; i < w.size(); ++i) {
      const auto stretched = [](SimTime t) {
        return t == kNever ? kNever : kStart + (t - kStart) * 2;
      };
      same = same && stretched(once.times.start[JobId{i}]) == doubled.times.start[JobId{i}] &&
             stretched(once.times.end[JobId{i}]) == doubled.times.end[JobId{i}];
    }
    CHECK(same);
  }
}
