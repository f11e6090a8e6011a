#pragma once
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "muster/cluster/cluster.hpp"
#include "muster/core/time.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// Delay scheduling (Zaharia et al., EuroSys 2010; for gangs, with timers, Sharma et al.,
/// arXiv:2401.16492): for a while after it began to wait a gang starts inside one leaf only, then
/// inside one pod only, then anywhere. Levels at which it does not even fit the empty fleet are left
/// out. While it insists nobody is evicted or moved for it. A job that ran and comes back has had its time; one
/// that is evicted in the very pass that started it never ran, and insists as long as it would have.
class Patience {
 public:
  struct Options {
    Duration leaf{}, pod{};
    bool any() const { return leaf > Duration{} || pod > Duration{}; }
  };
  explicit Patience(const Options& options) : options_(options) {}

  /// Which levels jobs of this shape can hope for.
  void learn(ShapeId s, const Demand& d, const Cluster& empty);
  /// The first time only: it begins to wait.
  void joined(JobId j, ShapeId s, SimTime now);
  void gone(JobId j);
  void started(JobId j);
  /// Evicted; if it was started in this pass, that is as if it had not been.
  void evicted(JobId j);
  /// Who was started until now runs.
  void begin_pass() { started_.clear(); }

  /// Until when `j` insists on a level; {fleet, kNever} if on none any more.
  std::pair<Level, SimTime> stance(JobId j, SimTime now) const;
  /// The next time at which somebody gives in; kNever if nobody will.
  SimTime next(SimTime now) const;

 private:
  struct Waits {
    SimTime leaf, pod;  // until when
  };
  struct Hope {
    bool leaf = false, pod = false;
  };
  Options options_;
  std::map<ShapeId, Hope> hopes_;
  void insist(JobId j, const Waits& w);

  std::map<JobId, Waits> waits_;                  // only jobs that insist, or did
  std::vector<std::pair<JobId, Waits>> started_;  // of them, in this pass
  std::vector<bool> joined_;                      // jobs that did before
  std::set<std::pair<SimTime, JobId>> by_time_;
};

}  // namespace muster
