#pragma once
#include <optional>
#include <string>
#include <vector>

#include "muster/engine/simulate.hpp"
#include "muster/policy/contention.hpp"

namespace muster {

/// One stretch of a job's life: it waits with one cause, or runs.
struct WhyEntry {
  SimTime from, to;
  bool runs;
  Cause cause;  // if it waits
  std::string
      text;  // waiting: the explanation at its beginning; running: how it went on afterwards
};

/// Why a job waited: its life from submission to its end, and the words for one moment of waiting.
struct WhyReport {
  JobState state = JobState::never_submitted;  // at the end of the run
  SimTime submit = kStart;
  SimTime start = kNever;          // first start
  std::vector<WhyEntry> timeline;  // in order
  SimTime asked = kStart;          // the moment explained
  bool waiting = false;            // whether it waited then; if not, `at` is empty
  Explanation at;
  std::optional<Rejection> rejection;
  std::string withdrawn;  // while it waited between two runs: for what
};

/// Runs the simulation again up to the job's end and watches it. `at`: the moment to explain;
/// without it, the last pass at which the job waited. `progress` may stop the run, as that of simulate().
WhyReport why(const Fleet& fleet, const Workload& workload, Policy& policy,
              const EngineOptions& options, JobId job, std::optional<SimTime> at,
              std::uint64_t seed = 1, const ProgressFn& progress = {});

/// What a unit of a job's work took at one moment of its run, and where it was then.
struct CostReport {
  bool ran = false;  // by the moment asked for; without one, ever
  SimTime at = kStart;
  std::vector<Slice> where;
  std::vector<Contention::Term> terms;  // empty: as much as the trace says
};

/// Runs the simulation again. `at`: the moment to explain; without it, the job's first start.
CostReport why_cost(const Fleet& fleet, const Workload& workload, Policy& policy,
                    const EngineOptions& options, JobId job, std::optional<SimTime> at,
                    std::uint64_t seed = 1, const ProgressFn& progress = {});

}  // namespace muster
