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
  /// How so much time of a run divides, overhead not counted.
  Parts parts(Duration time) const {
    if (interval <= Duration{}) return {time, {}, {}};
    const auto written = time / (interval + cost);
    const Duration since = time - written * (interval + cost);
    const Duration work = written * interval + std::min(since, interval);
    return {work, time - work, written * interval};
  }
};

}  // namespace muster
