#pragma once
#include <memory>
#include <string>
#include <vector>

#include "muster/engine/outages.hpp"
#include "muster/metrics/books.hpp"
#include "support/jobs.hpp"
#include "support/referee.hpp"
#include "support/simulation.hpp"

namespace muster::test {

/// What came of a run in which nodes come and go.
struct Held {
  std::shared_ptr<const Workload> jobs;
  Timetable times{0};
  RunSummary summary;
  Summary report;
  std::string verdict;  // of the referee

  JobId job(const std::string& name) const {
    for (std::uint32_t i = 0; i < jobs->size(); ++i)
      if (jobs->id_text(JobId{i}) == name) return JobId{i};
    return kNoJob;
  }
  Duration start(const std::string& name) const { return times.start[job(name)] - kStart; }
  Duration end(const std::string& name) const { return times.end[job(name)] - kStart; }
  JobState state(const std::string& name) const { return times.state[job(name)]; }
  /// Whole GPU-seconds.
  std::int64_t gpu_s(GpuClass c) const {
    return static_cast<std::int64_t>(report.gpu_time[static_cast<std::size_t>(c)] /
                                     1'000'000'000'000);
  }
  std::int64_t wait_s(Cause c) const {
    return static_cast<std::int64_t>(report.wait_time[static_cast<std::size_t>(c)] / 1'000'000'000);
  }
};

/// Under these rules, with everything that watches a run.
inline Held held_to(const Rules& rules, const Fleet& fleet, const Workload& w, Policy& p,
                    const EngineOptions& options) {
  Referee referee(fleet, w, rules);
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(w, fleet, p.cutting()))
    demands.push_back({d.total_milli(), d.pools});
  Books books(fleet, w, demands);
  Held h;
  h.jobs = std::make_shared<const Workload>(w);
  h.times = Timetable(w.size());
  Listeners all({&referee, &books, &h.times});
  h.summary = simulate(fleet, w, p, options, all);
  books.close(h.summary);
  referee.close(h.summary);
  h.report = books.summary();
  h.verdict = referee.verdict();
  return h;
}

inline Held held(const Fleet& fleet, const std::string& spec, const Workload& w,
                 const OutagePlan& plan, EngineOptions options = {}) {
  const auto p = policy(spec);
  options.outages = std::make_shared<const OutagePlan>(plan);
  Rules rules;
  rules.outages = options.outages;
  rules.plans_ahead = p->keeps_reservations();
  rules.gangs_whole = !spec.starts_with("independent");
  return held_to(rules, fleet, w, *p, options);
}

inline Held held(std::uint32_t nodes, std::uint8_t gpus, const std::string& spec, const Workload& w,
                 const OutagePlan& plan, const EngineOptions& options = {}) {
  return held(Fleet::uniform(nodes, gpus), spec, w, plan, options);
}

inline OutagePlan reserve(const std::string& id, std::uint32_t nodes, Duration from, Duration to) {
  OutagePlan plan;
  plan.reservations.push_back({id, kStart, kStart + from, kStart + to, nodes, {}, kNoJob, {}, {}});
  return plan;
}

/// Nodes that leave: by failure, of which nobody knows the end, or for a maintenance that is announced.
inline OutagePlan::Outage down(std::vector<std::uint32_t> nodes, Duration from, Duration to) {
  OutagePlan::Outage o;
  o.kind = Window::Kind::down;
  o.announced = o.from = kStart + from;
  o.to = to == kUnlimited ? kNever : kStart + to;
  o.return_known = false;
  for (const std::uint32_t n : nodes) o.nodes.push_back(NodeId{n});
  return o;
}
inline OutagePlan::Outage maintenance(std::vector<std::uint32_t> nodes, Duration from, Duration to,
                                      Duration announced = {}) {
  OutagePlan::Outage o = down(std::move(nodes), from, to);
  o.kind = Window::Kind::maintenance;
  o.announced = kStart + announced;
  o.return_known = true;
  return o;
}
inline OutagePlan plan_of(std::vector<OutagePlan::Outage> outages) {
  OutagePlan plan;
  plan.outages = std::move(outages);
  return plan;
}

}  // namespace muster::test
