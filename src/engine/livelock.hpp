#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "muster/engine/simulate.hpp"

namespace muster {

/// Counts evictions that bring nobody forward: a pair of jobs that evict each other, or a gang that
/// gives back its incomplete GPUs again and again, without progress of either in between; and jobs
/// that take turns in a ring, when nobody at all gets on.
class LivelockWatch {
 public:
  explicit LivelockWatch(std::int64_t evictions) : most_(evictions) {}

  /// `victim` makes room for `by`; `progress`: it keeps some of the work of this run.
  std::optional<Finding> evicted(SimTime now, JobId victim, JobId by, bool progress,
                                 const Workload& w);
  /// `job` was resized or moved, for `by` if anybody; `progress`: it had done some work since it started
  /// or was resized last.
  std::optional<Finding> reshaped(SimTime now, JobId job, JobId by, bool progress,
                                  const Workload& w);
  /// An incomplete gang gave everything back.
  std::optional<Finding> dropped(SimTime now, JobId job, const Workload& w);
  /// `job` starts or is complete: what it went through is forgotten.
  void advanced(JobId job) {
    if (!drops_.empty() || !in_vain_.empty()) forget(job);
  }
  /// Some job has ended: there is progress.
  void ended() {
    if (!in_a_ring_.empty()) in_a_ring_.clear();
  }

 private:
  struct Count {
    std::int64_t there = 0, back = 0;
    SimTime since = kStart;
  };
  std::int64_t most_;
  std::map<std::pair<JobId, JobId>, Count> pairs_;    // (lower id, higher id)
  std::map<std::pair<JobId, JobId>, Count> in_vain_;  // (by, victim) since `by` last started
  std::map<JobId, Count> in_a_ring_;  // evictions of each since anybody got anything done
  std::map<JobId, Count> drops_;

  void forget(JobId job);
  void got_on(JobId victim, JobId by);
  std::optional<Finding> done_to(SimTime now, JobId victim, JobId by, const char* deed,
                                 const Workload& w);
  std::optional<Finding> ring(SimTime now, JobId victim, const char* deed, const Workload& w);
  std::optional<Finding> turn(std::map<JobId, Count>& turns, SimTime now, JobId job,
                              const Workload& w) const;
  /// "12 times between 0 s and 60 s".
  std::string times_text(const Finding& f) const;
};

}  // namespace muster
