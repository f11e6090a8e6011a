#pragma once
#include <algorithm>

#include "muster/workload/workload.hpp"

namespace muster {

/// How a job writes checkpoints: it works for an interval, then stops for what one costs, and so on. One
/// counts once it is written.
struct CheckpointRhythm {
  Duration interval = kUnknown;  // of work; none above 0: it writes none
  Duration cost{};

  CheckpointRhythm(const Workload& jobs, JobId j)
      : interval(Workload::at_or(jobs.checkpoint_interval, j, kUnknown)),
        cost(std::max(Workload::at_or(jobs.checkpoint_cost, j, kUnknown), Duration{})) {}

  struct Parts {
    Duration work{}, writing{};
    Duration saved{};  // work up to the last checkpoint that is complete
  };
  /// How so much time of a run divides, overhead not counted. `write`: so long after it was taken a
  /// checkpoint is complete; never longer than from one to the next, see no_faster_than().
  Parts parts(Duration time, Duration write = {}) const {
    if (interval <= Duration{}) return {time, {}, {}};
    const auto taken = time / (interval + cost);
    const Duration since = time - taken * (interval + cost);
    const Duration work = taken * interval + std::min(since, interval);
    const auto complete = taken - (taken > 0 && since < write ? 1 : 0);
    return {work, time - work, complete * interval};
  }
  /// The interval, or one that leaves the time for `write` between two checkpoints.
  static Duration no_faster_than(Duration write, Duration interval, Duration cost) {
    return interval <= Duration{} ? interval
                                  : std::max(interval, write - std::max(cost, Duration{}));
  }
};

}  // namespace muster
