// What must be true of every run, whatever the policy: 1,000 drawn runs of each family.

#include "catch.hpp"
#include "muster/metrics/books.hpp"
#include "muster/policy/registry.hpp"
#include "support/random_outages.hpp"
#include "support/random_runs.hpp"
#include "support/referee.hpp"
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

/// The policy itself, asked once more at the same instant, without any news.
class AskedTwice final : public WrappedPolicy {
 public:
  using WrappedPolicy::WrappedPolicy;
  void decide(const View& view, Plan& plan) override {
    WrappedPolicy::decide(view, plan);
    View idle = view;
    idle.joined = idle.left = {};
    idle.ended = {};
    WrappedPolicy::decide(idle, plan);
  }
};

std::vector<ShapeDemand> demands_of(const Workload& w, const Fleet& fleet, const Policy& p) {
  std::vector<ShapeDemand> all;
  for (const Demand& d : resolve_all(w, fleet, p.cutting()))
    all.push_back({d.total_milli(), d.pools, std::int64_t{d.unused} * d.milli});
  return all;
}

struct Ran {
  RunSummary summary;
  std::string verdict;
  Timetable times;
  Reshapes reshapes;
  GpuTimes gpu_time{};
  std::array<Int128, kCauses> wait_time{};
  std::uint64_t interruptions = 0;
  std::size_t tied_ran = 0;  // jobs that are tied to a reservation, and started
};

Int128 of(const GpuTimes& times, GpuClass c) { return times[static_cast<std::size_t>(c)]; }

/// One run with everything that watches it. Aborts if a ledger does not balance.
template <class Wrapper = Audited>
Ran watched(const Fleet& fleet, const Workload& jobs, const DrawnPolicy& drawn,
            EngineOptions options) {
  if (drawn.rules.interference > 0) options.speed.interference = drawn.rules.interference;
  Wrapper p(policy(drawn.spec));
  const Workload w = prepared(jobs, p);
  Rules rules = drawn.rules;
  rules.cancel_running = options.cancel_running;
  rules.by_event = options.passes == Passes::event;
  rules.interval = options.scheduling_interval;
  rules.outages = options.outages;
  Referee referee(fleet, w, rules);
  const auto demands = demands_of(w, fleet, p);
  Books books(fleet, w, demands);
  Ran ran{{}, {}, Timetable(w.size()), {}};
  Listeners all({&referee, &books, &ran.times});
  ran.summary = simulate(fleet, w, p, options, all);
  books.close(ran.summary);
  referee.close(ran.summary);
  ran.verdict = referee.verdict();
  ran.reshapes = books.summary().reshapes;
  ran.gpu_time = books.gpu_book().times();
  ran.wait_time = books.wait_book().times();
  ran.interruptions = books.summary().interruptions;
  for (std::uint32_t i = 0; i < w.size(); ++i)
    ran.tied_ran +=
        w.shapes[w.shape[JobId{i}]].reservation != NameId{} && ran.times.start[JobId{i}] != kNever;
  // The referee's own count of who held what for how long.
  const Int128 waiting_for_others = of(ran.gpu_time, GpuClass::hoarded) - referee.hoarded();
  const bool seen_to_wait = options.outages && !options.outages->readiness.gating;
  if (waiting_for_others < 0 || (waiting_for_others > 0 && !seen_to_wait))
    ran.verdict += "the book has another GPU time for incomplete gangs\n";
  if (waiting_for_others + of(ran.gpu_time, GpuClass::run_compute) +
          of(ran.gpu_time, GpuClass::unused) + of(ran.gpu_time, GpuClass::lost) +
          of(ran.gpu_time, GpuClass::starting) + of(ran.gpu_time, GpuClass::checkpoint) !=
      referee.computed())
    ran.verdict += "the book has another GPU time for runs\n";
  return ran;
}

/// Every family that is registered.
template <class Visit>
void each_family(Visit visit) {
  for (const auto& [family, info] : policies()) {
    INFO("policy family " << family);
    const auto draw = drawn_families().find(family);
    if (draw == drawn_families().end())
      FAIL_CHECK("nobody draws it: add it to tests/support/random_policies.hpp");
    else
      visit(family, draw->second);
  }
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
  each_family([](const std::string& family, DrawPolicy draw) {
    std::size_t hoarded = 0, deadlocks = 0, livelocks = 0;
    Reshapes reshapes;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      Stream r(seed, "conformance of " + family);
      const std::string text = draw_fleet(r);
      const Fleet fleet = parse_fleet(text, "drawn");
      const DrawnPolicy drawn = draw(r);
      const EngineOptions options = draw_options(r);
      Spice spice;
      spice.elastic = drawn.elastic;
      Workload w = workload(draw_jobs(r, fleet, 10 + r.below(40), spice));
      if (drawn.types) draw_models(r, fleet, w);
      INFO("seed " << seed << ": " << drawn.spec << " on " << text);
      const Ran once = watched(fleet, w, drawn, options);
      CHECK(once.verdict == "");
      const Ran again = watched(fleet, w, drawn, options);
      CHECK(once.summary.fingerprint == again.summary.fingerprint);
      hoarded += of(once.gpu_time, GpuClass::hoarded) > 0;
      reshapes += once.reshapes;
      for (const Finding& f : once.summary.findings) {
        deadlocks += f.kind == Finding::Kind::deadlock;
        livelocks += f.kind == Finding::Kind::livelock;
      }
    }
    // Where gangs are not whole the draws must reach what that leads to.
    const bool whole = family != "independent";
    CHECK((hoarded > 200) == !whole);
    CHECK((deadlocks > 50) == !whole);
    CHECK((livelocks > 5) == !whole);
    // Nor must elastic jobs keep their sizes, or defragmentation move nobody.
    CHECK((reshapes.resizes > 5000) == (family == "elastic"));
    CHECK((reshapes.moves > 30) == (family == "batch" || family == "ranked"));
  });
}

TEST_CASE("1,000 drawn runs with MIG instances: slots, profiles, what making them takes") {
  each_family([](const std::string& family, DrawPolicy draw) {
    std::size_t fragmented = 0, starting = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      Stream r(seed, "MIG, " + family);
      const std::string text = draw_mig_fleet(r);
      const Fleet fleet = parse_fleet(text, "drawn");
      DrawnPolicy drawn = draw(r);
      if (r.chance(0.5)) drawn.spec += ",mig_placement=first_free";
      if (r.chance(0.5)) {
        drawn.rules.mig_reconfigure = 1s * static_cast<std::int64_t>(1 + r.below(10));
        drawn.spec += ",mig_reconfigure=" + std::to_string(drawn.rules.mig_reconfigure / 1s);
      }
      const EngineOptions options = draw_options(r);
      Spice spice;
      spice.mig = true;
      const Workload w = workload(draw_jobs(r, fleet, 20 + r.below(60), spice));
      INFO("seed " << seed << ": " << drawn.spec << " on " << text);
      const Ran once = watched(fleet, w, drawn, options);
      CHECK(once.verdict == "");
      const Ran again = watched(fleet, w, drawn, options);
      CHECK(once.summary.fingerprint == again.summary.fingerprint);
      fragmented += of(once.gpu_time, GpuClass::idle_fragmented) > 0;
      starting += of(once.gpu_time, GpuClass::starting) > 0;
    }
    CHECK(fragmented > 150);
    CHECK(starting > 200);
  });
}

TEST_CASE("1,000 drawn runs in which nodes leave and come back") {
  each_family([](const std::string& family, DrawPolicy draw) {
    std::size_t down = 0, maintenance = 0, waited = 0, reserved = 0, tied = 0;
    std::uint64_t interruptions = 0, failed = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      Stream r(seed, "outages, " + family);
      const std::string text = draw_fleet(r);
      const Fleet fleet = parse_fleet(text, "drawn");
      DrawnPolicy drawn = draw(r);
      const bool keeps = policy(drawn.spec)->keeps_reservations();
      drawn.rules.plans_ahead = keeps && drawn.spec.find("estimates=") == std::string::npos;
      EngineOptions options = draw_options(r);
      Spice spice;
      spice.elastic = drawn.elastic;
      std::vector<TestJob> jobs = draw_jobs(r, fleet, 10 + r.below(40), spice);
      options.outages = draw_outages(r, fleet, keeps, policy(drawn.spec)->reshapes(), jobs);
      draw_attempts(seed, jobs);
      Workload w = workload(jobs);
      if (r.chance(0.4))
        w.checkpoint_cost.assign(w.size(), 1s * static_cast<std::int64_t>(1 + r.below(5)));
      INFO("seed " << seed << ": " << drawn.spec << " on " << text);
      const Ran once = watched(fleet, w, drawn, options);
      CHECK(once.verdict == "");
      const Ran again = watched(fleet, w, drawn, options);
      CHECK(once.summary.fingerprint == again.summary.fingerprint);
      down += of(once.gpu_time, GpuClass::down) > 0;
      maintenance += of(once.gpu_time, GpuClass::maintenance) > 0;
      waited += once.wait_time[static_cast<std::size_t>(Cause::outage)] > 0;
      interruptions += once.interruptions;
      failed += once.summary.own_failures.attempts;
      for (const ReservationOutcome& o : once.summary.reservations) reserved += o.confirmed;
      tied += once.tied_ran;
    }
    CHECK(down > 500);
    CHECK(maintenance > 300);
    CHECK(interruptions > 500);
    CHECK(failed > 1000);
    CHECK((waited > 100) == (family == "batch" || family == "cells"));
    CHECK((reserved > 100) == (family == "batch"));
    CAPTURE(tied);
    CHECK((tied > 100) == (family == "batch"));
  });
}

TEST_CASE("a policy that is asked again at the same instant does not change its mind") {
  each_family([](const std::string& family, DrawPolicy draw) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      Stream r(seed, "asked again, " + family);
      DrawnPolicy drawn = draw(r);
      while (!drawn.settles) drawn = draw(r);
      const Fleet fleet = drawn.plans
                              ? Fleet::uniform(4 + static_cast<std::uint32_t>(r.below(60)), 1)
                              : parse_fleet(draw_fleet(r), "drawn");
      const EngineOptions options = draw_options(r);
      Spice spice;
      spice.shapes = !drawn.plans;
      spice.elastic = drawn.elastic;
      spice.shares = false;  // EASY counts GPUs until one is shared, and looks at each from then on
      const Workload w = workload(draw_jobs(r, fleet, 30, spice));
      INFO("seed " << seed << ": " << drawn.spec);
      const Ran once = watched(fleet, w, drawn, options);
      const Ran twice = watched<AskedTwice>(fleet, w, drawn, options);
      CHECK(once.summary.fingerprint == twice.summary.fingerprint);
      CHECK(once.summary.broken_promises == twice.summary.broken_promises);
      CHECK(once.gpu_time == twice.gpu_time);
      CHECK(once.wait_time == twice.wait_time);
    }
  });
}

TEST_CASE("a job that is withdrawn as it is submitted changes nothing") {
  each_family([](const std::string& family, DrawPolicy draw) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Stream r(seed, "no-op, " + family);
      const Fleet fleet = parse_fleet(draw_fleet(r), "drawn");
      const DrawnPolicy drawn = draw(r);
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
  });
}

TEST_CASE("twice the durations, twice the schedule") {
  Spice spice;
  spice.wrong_estimates = false;  // without an estimate, or beyond it, absolute times come in
  each_family([&](const std::string& family, DrawPolicy draw) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      Stream r(seed, "twice, " + family);
      const Fleet fleet = parse_fleet(draw_fleet(r), "drawn");
      DrawnPolicy drawn = draw(r);
      while (!drawn.scales) drawn = draw(r);
      DrawnPolicy slow = drawn;
      if (!drawn.twice.empty()) slow.spec = drawn.twice;
      slow.rules.restart_cost *= 2;
      EngineOptions options = draw_options(r);
      const Workload w = workload(draw_jobs(r, fleet, 30, spice));
      INFO("seed " << seed << ": " << drawn.spec);
      const Ran once = watched(fleet, w, drawn, options);
      options.scheduling_interval *= 2;
      if (options.horizon != kUnknown) options.horizon *= 2;
      const Ran doubled = watched(fleet, twice(w), slow, options);
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
  });
}
