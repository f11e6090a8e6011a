#include "muster/policy/parts/preemption.hpp"

#include <algorithm>

#include "muster/core/int128.hpp"

namespace muster {

Duration lost_if_stopped(const View& view, const RunningJob& r, PreemptMode mode) {
  const Duration work = std::max<Duration>(view.now - r.start - r.overhead, Duration{});
  return work - view.jobs.kept_if_stopped(r.job, work, mode);
}

void Preemption::stopped(const View& view, const RunningJob& r) {
  const auto it = by_priority_.find(view.jobs.priority(r.job));
  if (--it->second == 0) by_priority_.erase(it);
}

bool Preemption::outranked(const View& view, JobId victim, JobId by) const {
  return view.jobs.priority(victim) < view.jobs.priority(by) &&
         (options_.scope == PriorityScope::fleet || view.jobs.queue(victim) == view.jobs.queue(by));
}

bool Preemption::reclaimable(const View& view, JobId victim, JobId by) const {
  const NameId from = view.jobs.queue(victim);
  if (options_.reclaim == Reclaim::none || options_.gangs == GangVictims::never_below_min ||
      from == view.jobs.queue(by))
    return false;
  return options_.reclaim == Reclaim::fair_share || quota_->borrows(from);
}

bool Preemption::may_claim(const View& view, JobId job, const Demand& d) const {
  switch (options_.reclaim) {
    case Reclaim::none:
      return false;
    case Reclaim::from_borrowers:
      return quota_->within_guarantee(view.jobs.queue(job), d.total_milli()) &&
             quota_->anyone_borrows();
    case Reclaim::fair_share:
      return true;
  }
  return false;
}

std::vector<Preemption::Candidate> Preemption::candidates(const View& view, JobId job,
                                                          const Demand& d) const {
  const bool claims = may_claim(view, job, d);
  const bool lower = !by_priority_.empty() && by_priority_.begin()->first < view.jobs.priority(job);
  std::vector<Candidate> list;
  if (!claims && !lower) return list;
  view.running.each([&](const RunningJob& r) {
    const bool by_rank = outranked(view, r.job, job);
    if (by_rank || (claims && reclaimable(view, r.job, job)))
      list.push_back({view.jobs.priority(r.job), rule_->cost(view, r, mode()), r, by_rank});
    return true;
  });
  std::sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    if (a.cost != b.cost) return a.cost < b.cost;
    return b.r.job < a.r.job;
  });
  return list;
}

/// Asked before `c` (and after those chosen so far) is gone.
bool Preemption::still_fair(const View& view, const Candidate& c, JobId by, const Demand& d) {
  if (c.outranked) return true;
  const NameId from = view.jobs.queue(c.r.job);
  if (options_.reclaim == Reclaim::from_borrowers) return quota_->borrows(from);
  quota_->release(from, c.r.milli);
  const bool fair = quota_->fair_against(view.jobs.queue(by), d.total_milli(), from);
  quota_->charge(from, c.r.milli);
  return fair;
}

/// Asked when `gone` are: nobody of another queue went who leaves it with less than the claimant has.
bool Preemption::all_fair(const View& view, const std::vector<RunningJob>& gone, JobId by,
                          const Demand& d) {
  if (options_.reclaim != Reclaim::fair_share) return true;
  const NameId queue = view.jobs.queue(by);
  return std::all_of(gone.begin(), gone.end(), [&](const RunningJob& g) {
    const NameId from = view.jobs.queue(g.job);
    return from == queue || quota_->fair_against(queue, d.total_milli(), from);
  });
}

class Preemption::WhatIf {
 public:
  WhatIf(const View& view, Quota* quota) : view_(view), quota_(quota), cluster_(view.cluster) {}
  ~WhatIf() {
    while (!gone_.empty()) put_back(gone_.back());
  }
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  void send_away(const RunningJob& r) {
    cluster_.give_back(view_.placements.of(r.job), milli(r));
    if (quota_) quota_->release(view_.jobs.queue(r.job), r.milli);
    gone_.push_back(r);
  }
  void put_back(const RunningJob& r) {
    cluster_.take(view_.placements.of(r.job), milli(r));
    if (quota_) quota_->charge(view_.jobs.queue(r.job), r.milli);
    std::erase_if(gone_, [job = r.job](const RunningJob& g) { return g.job == job; });
  }
  bool has_room_for(JobId job, const Demand& d) const {
    return fits(cluster_, d) && (!quota_ || quota_->admits(view_.jobs.queue(job), d.total_milli()));
  }
  const std::vector<RunningJob>& gone() const { return gone_; }

 private:
  std::uint32_t milli(const RunningJob& r) const {
    return view_.demands[view_.jobs.shape(r.job)].milli;
  }

  const View& view_;
  Quota* quota_;
  Cluster cluster_;
  std::vector<RunningJob> gone_;
};

std::vector<RunningJob> Preemption::choose(const View& view, JobId job, const Demand& d) {
  const std::vector<Candidate> list = candidates(view, job, d);
  if (list.empty()) return {};
  WhatIf what_if(view, quota_);
  for (auto c = list.begin(); c != list.end() && !what_if.has_room_for(job, d); ++c)
    if (still_fair(view, *c, job, d)) what_if.send_away(c->r);
  if (!what_if.has_room_for(job, d)) return {};
  const std::vector<RunningJob> chosen = what_if.gone();
  for (auto r = chosen.rbegin(); r != chosen.rend(); ++r) {
    what_if.put_back(*r);
    if (!what_if.has_room_for(job, d) || !all_fair(view, what_if.gone(), job, d))
      what_if.send_away(*r);
  }
  std::vector<RunningJob> victims;  // in the order in which they were chosen
  for (const RunningJob& r : chosen)
    if (std::any_of(what_if.gone().begin(), what_if.gone().end(),
                    [&](const RunningJob& g) { return g.job == r.job; }))
      victims.push_back(r);
  return victims;
}

std::string Preemption::unfair_text(const View& view, JobId job, const Demand& d) {
  if (options_.reclaim != Reclaim::fair_share) return {};
  WhatIf what_if(view, quota_);
  JobId unfair = kNoJob;  // the first that must not go; it and those behind it, as many as it takes
  for (const Candidate& c : candidates(view, job, d)) {
    if (what_if.has_room_for(job, d)) break;
    if (unfair == kNoJob && !still_fair(view, c, job, d)) unfair = c.r.job;
    what_if.send_away(c.r);
  }
  if (unfair == kNoJob) return {};
  const NameId queue = view.jobs.queue(job);
  const NameId from = view.jobs.queue(unfair);
  return "making room for it would leave queue " + std::string{view.jobs.names()[queue]} + " " +
         to_decimal(quota_->used(queue) + d.total_milli(), 3) + " GPUs and queue " +
         std::string{view.jobs.names()[from]} + " " + to_decimal(quota_->used(from), 3) +
         ": more than its fair share";
}

}  // namespace muster
