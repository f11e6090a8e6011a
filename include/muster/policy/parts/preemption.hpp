#pragma once
#include <map>
#include <memory>
#include <vector>

#include "muster/core/registry.hpp"
#include "muster/policy/parts/placer.hpp"
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

/// Priority preemption: room for a job is made of running jobs with strictly lower priority.
class Preemption {
 public:
  Preemption(std::unique_ptr<VictimRule> rule, PreemptMode mode)
      : rule_(std::move(rule)), mode_(mode) {}

  PreemptMode mode() const { return mode_; }
  void started(const View& view, const RunningJob& r) { ++by_priority_[view.jobs.priority(r.job)]; }
  void stopped(const View& view, const RunningJob& r);

  /// The smallest set found greedily in victim order, after which `d` fits; those that turn out not
  /// to be needed are let off, latest chosen first. Empty if there is none.
  std::vector<RunningJob> choose(const View& view, JobId job, const Demand& d);

 private:
  std::unique_ptr<VictimRule> rule_;
  PreemptMode mode_;
  std::map<std::int32_t, std::uint32_t> by_priority_;  // running jobs
};

}  // namespace muster
