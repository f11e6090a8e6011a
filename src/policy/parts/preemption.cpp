#include "muster/policy/parts/preemption.hpp"

#include <algorithm>

namespace muster {

Duration lost_if_stopped(const View& view, const RunningJob& r, PreemptMode mode) {
  const Duration work = std::max<Duration>(view.now - r.start - r.overhead, Duration{});
  return work - view.jobs.kept_if_stopped(r.job, work, mode);
}

void Preemption::stopped(const View& view, const RunningJob& r) {
  const auto it = by_priority_.find(view.jobs.priority(r.job));
  if (--it->second == 0) by_priority_.erase(it);
}

std::vector<RunningJob> Preemption::choose(const View& view, JobId job, const Demand& d) {
  const std::int32_t priority = view.jobs.priority(job);
  if (by_priority_.empty() || by_priority_.begin()->first >= priority) return {};

  struct Candidate {
    std::int32_t priority;
    std::int64_t cost;
    RunningJob r;
  };
  std::vector<Candidate> candidates;
  view.running.each([&](const RunningJob& r) {
    if (view.jobs.priority(r.job) < priority)
      candidates.push_back({view.jobs.priority(r.job), rule_->cost(view, r, mode_), r});
    return true;
  });
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    if (a.cost != b.cost) return a.cost < b.cost;
    return b.r.job < a.r.job;
  });

  // What if: the cluster without the first n victims, then with each of them put back if it can be.
  Cluster what_if = view.cluster;
  const auto milli = [&](const RunningJob& r) {
    return view.demands[view.jobs.shape(r.job)].milli;
  };
  std::size_t n = 0;
  while (n < candidates.size() && !fits(what_if, d))
    what_if.give_back(view.placements.of(candidates[n].r.job), milli(candidates[n].r)), ++n;
  if (!fits(what_if, d)) return {};
  std::vector<RunningJob> victims;
  for (std::size_t i = n; i-- > 0;) {
    const RunningJob& r = candidates[i].r;
    what_if.take(view.placements.of(r.job), milli(r));
    if (fits(what_if, d)) continue;
    what_if.give_back(view.placements.of(r.job), milli(r));
    victims.push_back(r);
  }
  std::reverse(victims.begin(), victims.end());
  return victims;
}

}  // namespace muster
