#pragma once
#include <optional>
#include <string>
#include <vector>

#include "muster/engine/simulate.hpp"

namespace muster {

/// One stretch of a job's waiting with one cause.
struct WhyEntry {
  SimTime from, to;
  Cause cause;
  std::string text;  // the explanation at its beginning
};

/// Why a job waited: its waiting time from end to end, and the words for one moment of it.
struct WhyReport {
  JobState state = JobState::never_submitted;  // at the end of the run
  SimTime submit = kStart;
  SimTime start = kNever;          // first start
  std::vector<WhyEntry> timeline;  // stretches by cause, in order
  SimTime asked = kStart;          // the moment explained
  bool waiting = false;            // whether it waited then; if not, `at` is empty
  Explanation at;
  std::optional<Rejection> rejection;
};

/// Runs the simulation again up to the job's start and watches it. `at`: the moment to explain;
/// without it, the last pass at which the job waited.
WhyReport why(const Fleet& fleet, const Workload& workload, Policy& policy,
              const EngineOptions& options, JobId job, std::optional<SimTime> at,
              std::uint64_t seed = 1);

}  // namespace muster
