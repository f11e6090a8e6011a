#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "muster/core/random.hpp"
#include "muster/engine/outages.hpp"
#include "support/jobs.hpp"

namespace muster::test {

inline SimTime draw_time(Stream& r, std::uint64_t most) {
  return kStart + std::chrono::seconds{5 * static_cast<std::int64_t>(r.below(most))};
}

inline std::vector<NodeId> draw_nodes(Stream& r, const Fleet& fleet, double share) {
  std::vector<NodeId> nodes;
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
    if (r.chance(share)) nodes.push_back(NodeId{n});
  if (nodes.empty())
    nodes.push_back(NodeId{static_cast<std::uint32_t>(r.below(fleet.nodes.size()))});
  return nodes;
}

/// Processes of failures of any scope, most of which make no difference to a run as short as these.
inline std::vector<FailureProcess> draw_processes(Stream& r) {
  std::vector<FailureProcess> processes;
  for (std::uint64_t left = r.below(4); left > 0; --left) {
    FailureProcess p;
    p.name = "p" + std::to_string(left);
    p.scope = static_cast<FailureProcess::Scope>(r.below(7));
    p.law = static_cast<FailureProcess::Law>(r.below(3));
    p.rate = 1000 * 86400 / static_cast<double>(200 + r.below(8000));
    p.shape = p.law == FailureProcess::Law::weibull ? 0.7 : 1;
    p.repair = static_cast<FailureProcess::Repair>(r.below(3));
    p.repair_time = std::chrono::seconds{1 + static_cast<std::int64_t>(r.below(100))};
    if (p.repair == FailureProcess::Repair::fixed && r.chance(0.5)) p.repair_time = {};
    processes.push_back(std::move(p));
  }
  return processes;
}

/// What becomes of those whose nodes fail, and of those who are preempted.
inline void draw_reaction(Stream& r, const Fleet& fleet, bool reshapes, OutagePlan& plan) {
  plan.reaction.saves = r.chance(0.4);
  plan.reaction.shrink = reshapes && r.chance(0.5);
  if (plan.reaction.shrink || r.chance(0.5)) return;
  plan.reaction.swap = true;
  plan.reaction.evict = r.chance(0.5);
  if (fleet.nodes.size() < 4 || r.chance(0.3)) return;
  plan.spares = {NodeId{0}, NodeId{static_cast<std::uint32_t>(fleet.nodes.size() - 1)}};
  if (r.chance(0.5)) plan.cold_spares = {plan.spares[1]};
  plan.reaction.activation = std::chrono::seconds{static_cast<std::int64_t>(r.below(20))};
}

inline OutagePlan::Readiness draw_readiness(Stream& r) {
  OutagePlan::Readiness rule;
  rule.law = static_cast<OutagePlan::Readiness::Law>(1 + r.below(3));
  rule.time = std::chrono::seconds{1 + static_cast<std::int64_t>(r.below(15))};
  rule.gating = r.chance(0.5);
  if (r.chance(0.3))
    rule.stays = std::chrono::seconds{10 + static_cast<std::int64_t>(r.below(100))};
  return rule;
}

/// Some jobs fail by themselves before they are done, once to three times.
inline void draw_attempts(std::uint64_t seed, std::vector<TestJob>& jobs) {
  Stream r(seed, "attempts");
  for (TestJob& job : jobs) {
    if (!r.chance(0.15)) continue;
    std::vector<Duration> attempts(1 + r.below(3));
    for (Duration& d : attempts) d = std::chrono::seconds{static_cast<std::int64_t>(r.below(60))};
    job.fails_after(std::move(attempts));
  }
}

/// Failures and planned outages, which may overlap and begin at the times at which jobs come and end; and,
/// if asked for, reservations, to which some of the jobs are tied.
inline std::shared_ptr<const OutagePlan> draw_outages(Stream& r, const Fleet& fleet,
                                                      bool reservations, bool reshapes,
                                                      std::vector<TestJob>& jobs) {
  auto plan = std::make_shared<OutagePlan>();
  for (std::uint64_t left = r.below(7); left > 0; --left) {
    OutagePlan::Outage o;
    o.kind = Window::Kind::down;
    o.announced = o.from = draw_time(r, 60);
    o.to = o.from + std::chrono::seconds{5 * static_cast<std::int64_t>(1 + r.below(30))};
    o.return_known = r.chance(0.3);
    o.nodes = draw_nodes(r, fleet, 0.1);
    plan->outages.push_back(std::move(o));
  }
  for (std::uint64_t left = r.below(3); left > 0; --left) {
    OutagePlan::Outage o;
    o.announced = draw_time(r, 20);
    o.from = o.announced + std::chrono::seconds{5 * static_cast<std::int64_t>(r.below(40))};
    o.to = o.from + std::chrono::seconds{5 * static_cast<std::int64_t>(1 + r.below(10))};
    o.nodes = draw_nodes(r, fleet, r.chance(0.3) ? 1 : 0.4);
    if (r.chance(0.4)) {
      o.drain = true;
      o.announced = o.from;
    }
    plan->outages.push_back(std::move(o));
  }
  if (!reshapes && r.chance(0.2))
    plan->reaction.detection = std::chrono::seconds{5 * static_cast<std::int64_t>(1 + r.below(3))};
  if (r.chance(0.5)) plan->failures.processes = draw_processes(r);
  if (r.chance(0.3)) {
    plan->failures.lemons = draw_nodes(r, fleet, 0.2);
    plan->failures.lemon_factor = 5;
  }
  if (r.chance(0.3)) {
    plan->quarantine.after = 1 + static_cast<std::int64_t>(r.below(4));
    plan->quarantine.window = std::chrono::seconds{50 + static_cast<std::int64_t>(r.below(500))};
    plan->quarantine.time = std::chrono::seconds{static_cast<std::int64_t>(r.below(300))};
  }
  draw_reaction(r, fleet, reshapes, *plan);
  if (r.chance(0.3)) plan->readiness = draw_readiness(r);
  if (r.chance(0.2)) plan->reaction.retries = static_cast<std::int64_t>(r.below(3));
  for (std::uint64_t left = reservations ? r.below(4) : 0; left > 0; --left) {
    OutagePlan::Reservation x;
    x.id = "R" + std::to_string(left);
    x.requested = draw_time(r, 10);
    x.from = x.requested + std::chrono::seconds{5 * static_cast<std::int64_t>(r.below(30))};
    x.to = x.from + std::chrono::seconds{5 * static_cast<std::int64_t>(1 + r.below(60))};
    x.count = 1 + static_cast<std::uint32_t>(r.below(fleet.nodes.size()));
    plan->reservations.push_back(std::move(x));
  }
  for (TestJob& job : jobs)
    if (!plan->reservations.empty() && r.chance(0.3))
      job.reserved("R" + std::to_string(1 + r.below(4)));
  if (r.chance(0.3))
    for (std::size_t j = 0; j < jobs.size(); ++j)
      plan->write_time.items().push_back(std::chrono::seconds{r.below(8)});
  return plan;
}

}  // namespace muster::test
