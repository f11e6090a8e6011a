// Storage that jobs share: drawn runs against what must be the same, and against a fluid model of its own.

#include <cmath>
#include <functional>

#include "catch.hpp"
#include "muster/policy/registry.hpp"
#include "muster/workload/checkpoints.hpp"
#include "support/outages.hpp"
#include "support/random_outages.hpp"
#include "support/random_runs.hpp"
#include "support/shared_storage.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

std::vector<Duration> draw_times(Stream& r, std::size_t jobs) {
  std::vector<Duration> alone(jobs);
  for (Duration& d : alone) d = 1s * static_cast<std::int64_t>(1 + r.below(20));
  return alone;
}

Rules rules_for(const DrawnPolicy& drawn, const EngineOptions& options) {
  Rules rules = drawn.rules;
  rules.cancel_running = options.cancel_running;
  rules.by_event = options.passes == Passes::event;
  rules.interval = options.scheduling_interval;
  rules.outages = options.outages;
  return rules;
}

struct Drawn {
  Fleet fleet;
  DrawnPolicy policy;
  EngineOptions options;
  Workload jobs;
  OutagePlan plan;  // without storage
};

/// A run in which nodes fail, jobs are preempted, resized and moved, ...
Drawn draw_run(Stream& r, const std::function<DrawnPolicy(Stream&)>& draw) {
  Drawn d;
  d.fleet = parse_fleet(draw_fleet(r), "drawn");
  d.policy = draw(r);
  d.options = draw_options(r);
  Spice spice;
  spice.elastic = d.policy.elastic;
  std::vector<TestJob> jobs = draw_jobs(r, d.fleet, 10 + r.below(40), spice);
  const auto p = policy(d.policy.spec);
  d.plan = *draw_outages(r, d.fleet, p->keeps_reservations(), p->reshapes(), jobs);
  d.plan.write_time.items().clear();
  draw_attempts(r.below(1000), jobs);
  d.jobs = workload(jobs);
  if (d.policy.types) draw_models(r, d.fleet, d.jobs);
  if (d.policy.rules.interference > 0) d.options.speed.interference = d.policy.rules.interference;
  d.policy.rules.plans_ahead = false;  // estimates do not know who else writes
  return d;
}

Held run(const Drawn& d, const Workload& w, const OutagePlan& plan) {
  EngineOptions options = d.options;
  options.outages = std::make_shared<const OutagePlan>(plan);
  const auto p = policy(d.policy.spec);
  return held_to(rules_for(d.policy, options), d.fleet, prepared(w, *p), *p, options);
}

template <class Visit>
void each_family(Visit visit) {
  for (const auto& [family, draw] : drawn_families()) {
    INFO("policy family " << family);
    visit(family, draw);
  }
}

/// The referee counts work between two changes of speed without stops.
bool may_stop(const Drawn& d) {
  return d.policy.rules.interference == 0 &&
         d.policy.spec.find("pack_capacity") == std::string::npos;
}

}  // namespace

TEST_CASE(
    "1,000 drawn runs with shared storage: the referee has nothing to say, the books balance") {
  each_family([](const std::string& family, const auto& draw) {
    std::int64_t writing = 0, reading = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      Stream r(seed, "shared storage, " + family);
      Drawn d = draw_run(r, draw);
      const auto writes = may_stop(d) && r.chance(0.6) ? Writes::blocking : Writes::background;
      const auto alone = draw_times(r, d.jobs.size());
      std::vector<Int128> shares(d.jobs.size());
      for (Int128& share : shares) share = kWholePipe / static_cast<std::int64_t>(1 + r.below(4));
      Workload w = d.jobs;
      const OutagePlan plan = with_storage(d.plan, w, alone, writes, shares);
      if (writes == Writes::background && may_stop(d) && r.chance(0.5))
        w.checkpoint_cost.assign(w.size(), std::chrono::seconds{1 + r.below(6)});
      INFO("seed " << seed << ": " << d.policy.spec);
      const Held once = run(d, w, plan);
      CHECK(once.verdict == "");
      CHECK(once.summary.fingerprint == run(d, w, plan).summary.fingerprint);
      writing += once.gpu_s(GpuClass::checkpoint);
      reading += once.gpu_s(GpuClass::starting);
    }
    CHECK(writing > 10'000);
    CHECK(reading > 10'000);
  });
}

TEST_CASE("storage that is wide enough for all is as if everybody had it alone") {
  each_family([](const std::string& family, const auto& draw) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      Stream r(seed, "wide storage, " + family);
      Drawn d = draw_run(r, draw);
      const auto writes = may_stop(d) && r.chance(0.6) ? Writes::blocking : Writes::background;
      const auto alone = draw_times(r, d.jobs.size());
      Workload w = d.jobs;
      OutagePlan plan = with_storage(d.plan, w, alone, writes);
      const Duration stop = may_stop(d) && r.chance(0.5) ? 3s : 0s;
      if (writes == Writes::background && stop > 0s) w.checkpoint_cost.assign(w.size(), stop);
      if (writes == Writes::background)
        for (std::uint32_t i = 0; i < w.size(); ++i)
          if (!w.checkpoint_interval.empty())
            w.checkpoint_interval[JobId{i}] = CheckpointRhythm::no_faster_than(
                plan.write_time[JobId{i}], w.checkpoint_interval[JobId{i}], stop);
      auto wide = std::make_shared<SharedStorage>(*plan.storage);
      wide->rate = kWholePipe * static_cast<std::int64_t>(w.size());
      plan.storage = wide;
      INFO("seed " << seed << ": " << d.policy.spec);
      const Held shared = run(d, w, plan);
      CHECK(shared.verdict == "");
      plan.storage = nullptr;
      const Held each = run(d, w, plan);
      CHECK(shared.summary.fingerprint == each.summary.fingerprint);
      // Who hangs, or has been told to go, gets nothing done until it is cut off; without storage such a run is
      // divided as if it went on.
      const bool cut_off = shared.summary.stopped_early || d.options.cancel_running ||
                           plan.reaction.detection > 0s || plan.reaction.retries >= 0;
      if (cut_off) continue;
      CHECK(shared.summary.passes == each.summary.passes);
      CHECK(shared.report.gpu_time == each.report.gpu_time);
    }
  });
}

TEST_CASE("n jobs that are all alike write as if each took n times as long") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Stream r(seed, "alike");
    const auto n = static_cast<std::uint32_t>(2 + r.below(15));
    const Duration alone = 1ns * static_cast<std::int64_t>(1 + r.below(60'000'000'000));
    std::vector<TestJob> jobs(n, job(0s, 1, 1s * static_cast<std::int64_t>(50 + r.below(500)))
                                     .checkpoints(1s * static_cast<std::int64_t>(5 + r.below(50)),
                                                  1s * static_cast<std::int64_t>(r.below(9))));
    std::vector<std::uint32_t> all(n);
    for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
    const Duration fails = 1s * static_cast<std::int64_t>(1 + r.below(600));
    const OutagePlan outage = plan_of({down(all, fails, fails + 7s)});
    Workload together = workload(jobs), apart = together;
    const OutagePlan shared = with_storage(outage, together, {alone});
    OutagePlan each = with_storage(outage, apart, {alone * n});
    each.storage = nullptr;
    INFO("seed " << seed);
    const Held h = held(n, 1, "easy", together, shared);
    CHECK(h.verdict == "");
    CHECK(h.summary.fingerprint == held(n, 1, "easy", apart, each).summary.fingerprint);
  }
}

namespace {

/// A job of the fluid model, which stops while it writes. Times in seconds.
struct Fluid {
  double submit = 0, work = 0, interval = 0, size = 0, limit = 0;  // size: at a rate of 1
  double left = 0, until = 0, to_write = 0, end = -1;  // of the work; of the next stretch
  bool writing = false;
};

/// Max-min by trying: everybody's rate rises until it is at its limit or the pipe is full.
std::vector<double> rates(const std::vector<Fluid>& jobs) {
  std::vector<double> rate(jobs.size(), 0);
  std::vector<bool> open(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) open[i] = jobs[i].writing;
  for (double left = 1; left > 1e-12;) {
    double rise = left;
    int n = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) n += open[i];
    if (n == 0) break;
    rise = left / n;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (open[i]) rise = std::min(rise, jobs[i].limit - rate[i]);
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (open[i]) {
        rate[i] += rise;
        left -= rise;
        open[i] = rate[i] < jobs[i].limit - 1e-12;
      }
  }
  return rate;
}

void run_fluid(std::vector<Fluid>& jobs) {
  for (Fluid& f : jobs) {
    f.left = f.work;
    f.until = f.submit + std::min(f.interval, f.work);
  }
  for (double now = 0;;) {
    const auto rate = rates(jobs);
    double next = 1e30;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (jobs[i].end < 0)
        next = std::min(next, jobs[i].writing ? now + jobs[i].to_write / rate[i] : jobs[i].until);
    if (next > 1e29) return;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      Fluid& f = jobs[i];
      if (f.end >= 0) continue;
      if (f.writing) {
        f.to_write -= rate[i] * (next - now);
        if (f.to_write > 1e-9) continue;
        f.writing = false;
        f.until = next + std::min(f.interval, f.left);
      } else if (f.until <= next + 1e-9) {
        f.left -= std::min(f.interval, f.left);
        if (f.left <= 1e-9) {
          f.end = next;
        } else {
          f.writing = true;
          f.to_write = f.size;
        }
      }
    }
    now = next;
  }
}

}  // namespace

TEST_CASE("jobs of all sizes and bounds end when a fluid model of their writing says so") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Stream r(seed, "fluid");
    const std::size_t n = 2 + r.below(20);
    std::vector<TestJob> jobs;
    std::vector<Fluid> fluid(n);
    std::vector<Duration> alone(n);
    std::vector<Int128> limits(n);
    for (std::size_t i = 0; i < n; ++i) {
      Fluid& f = fluid[i];
      f.submit = static_cast<double>(r.below(100));
      f.work = static_cast<double>(10 + r.below(300)) + 0.5;  // never a multiple of the interval
      f.interval = static_cast<double>(5 + r.below(60));
      const auto part = static_cast<std::int64_t>(1 + r.below(6));
      const auto takes = static_cast<std::int64_t>(1 + r.below(30));
      f.limit = 1 / static_cast<double>(part);
      f.size = f.limit * static_cast<double>(takes);
      limits[i] = kWholePipe / part;
      alone[i] = 1s * takes;
      jobs.push_back(job(1s * static_cast<std::int64_t>(f.submit), 1,
                         1ms * static_cast<std::int64_t>(f.work * 1000))
                         .checkpoints(1s * static_cast<std::int64_t>(f.interval))
                         .named("j" + std::to_string(i)));
    }
    Workload w = workload(jobs);
    // Jobs are in order of submission by now.
    std::vector<Fluid> in_order;
    std::vector<Duration> times;
    std::vector<Int128> bounds;
    for (std::uint32_t k = 0; k < n; ++k) {
      const auto i = std::stoul(std::string{w.id_text(JobId{k})}.substr(1));
      in_order.push_back(fluid[i]);
      times.push_back(alone[i]);
      bounds.push_back(limits[i]);
    }
    const OutagePlan plan = with_storage({}, w, times, Writes::blocking, bounds);
    run_fluid(in_order);
    const Held h = held(static_cast<std::uint32_t>(n), 1, "easy", w, plan);
    CHECK(h.verdict == "");
    INFO("seed " << seed);
    for (std::uint32_t k = 0; k < n; ++k)
      CHECK(seconds(h.times.end[JobId{k}]) == Approx(in_order[k].end).margin(1e-5));
  }
}
