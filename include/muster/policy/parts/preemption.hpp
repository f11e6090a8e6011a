#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "muster/core/registry.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/quota.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// Which of two victims of equal priority goes first (CONVENTIONS C7: the latest to start). Ties go
/// to the one later in trace order.
class VictimRule {
 public:
  virtual ~VictimRule() = default;
  /// Smaller goes first.
  virtual std::int64_t cost(const View& view, const RunningJob& r, PreemptMode mode) const = 0;
};
using VictimRules = Registry<VictimRule>;

/// Work of `r`'s present run that would be thrown away if it were stopped now.
Duration lost_if_stopped(const View& view, const RunningJob& r, PreemptMode mode);

/// Whose jobs may be evicted, besides those of strictly lower priority.
enum class Reclaim : std::uint8_t {
  none,
  /// Of queues that use more than their guarantee, for a queue that stays within its own (Kueue's
  /// reclaimWithinCohort, Volcano's reclaim); whatever the priorities.
  from_borrowers,
  /// Of queues that, without the victim, still have at least the weighted share that the claimant
  /// will have (Kueue's LessThanOrEqualToFinalShare): nobody can take it back by the same rule.
  fair_share
};
enum class PriorityScope : std::uint8_t { fleet, queue };
enum class GangVictims : std::uint8_t {
  whole,           // a gang is evicted as a whole
  never_below_min  // a rigid gang stands at its minimum, so it can't be reclaimed from
};

/// Room for a job is made of running jobs: of lower priority, or of queues that have too much.
class Preemption {
 public:
  struct Options {
    PreemptMode mode = PreemptMode::suspend;
    PriorityScope scope = PriorityScope::fleet;
    Reclaim reclaim = Reclaim::none;
    GangVictims gangs = GangVictims::whole;
  };
  /// `quota` may be null where nothing is reclaimed; it is left as it was found.
  Preemption(std::unique_ptr<VictimRule> rule, const Options& options, Quota* quota)
      : rule_(std::move(rule)), options_(options), quota_(quota) {}

  PreemptMode mode() const { return options_.mode; }
  void started(const View& view, const RunningJob& r) { ++by_priority_[view.jobs.priority(r.job)]; }
  void stopped(const View& view, const RunningJob& r);
  /// Whether a job of this priority could evict anybody at all.
  bool may_evict(std::int32_t priority) const {
    return options_.reclaim != Reclaim::none ||
           (!by_priority_.empty() && by_priority_.begin()->first < priority);
  }

  /// Whether `job` may try although its queue has no room for it.
  bool may_claim(const View& view, JobId job, const Demand& d) const;

  /// The smallest set found greedily in victim order, after which `d` fits and its queue has room for
  /// it; those that turn out not to be needed are let off, latest chosen first. Empty if there is
  /// none. O(running jobs).
  std::vector<RunningJob> choose(const View& view, JobId job, const Demand& d);
  /// Fair share: what reclaiming for `job` would leave to whom, if that is why it must wait; or "".
  std::string unfair_text(const View& view, JobId job, const Demand& d);

 private:
  /// The cluster and the quota without some of the running jobs.
  class WhatIf;
  struct Candidate {
    std::int32_t priority;
    std::int64_t cost;
    RunningJob r;
    bool outranked;  // else it is only there to be reclaimed from
  };
  bool outranked(const View& view, JobId victim, JobId by) const;
  bool reclaimable(const View& view, JobId victim, JobId by) const;
  std::vector<Candidate> candidates(const View& view, JobId job, const Demand& d) const;
  bool still_fair(const View& view, const Candidate& c, JobId by, const Demand& d);
  bool all_fair(const View& view, const std::vector<RunningJob>& gone, JobId by, const Demand& d);

  std::unique_ptr<VictimRule> rule_;
  Options options_;
  Quota* quota_;
  std::map<std::int32_t, std::uint32_t> by_priority_;  // running jobs
};

}  // namespace muster
