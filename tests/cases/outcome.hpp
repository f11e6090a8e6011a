#pragma once
#include <map>

#include "muster/metrics/load.hpp"
#include "setting.hpp"

namespace muster::cases {

/// A running job goes on elsewhere, or with more or fewer GPUs.
struct Reshaped {
  SimTime at;
  std::vector<Slice> where;
  JobId by = kNoJob;
  Duration kept{}, overhead{};  // of the stretch that ends here
};

struct Run {
  SimTime from, to = kNever;  // kNever: still runs
  Duration kept{}, lost{}, overhead{};
  std::vector<Slice> where;
  std::vector<Reshaped> reshapes;  // in order
};

struct JobOutcome {
  JobState state = JobState::never_submitted;
  SimTime submit = kNever, end = kNever;
  Duration lost_earlier{};
  std::int64_t milli = 0;  // held while it runs, or asked for
  std::vector<Run> runs;
};

/// All that a run shows of itself.
struct Outcome {
  std::vector<JobOutcome> jobs;
  struct Preempted {
    SimTime at;
    JobId victim, by;
  };
  std::vector<Preempted> preemptions;
  struct Promised {
    SimTime said;
    JobId job;
    SimTime at;
  };
  std::vector<Promised> promises;
  struct Explained {
    SimTime at;
    JobId job;
    Explanation why;
  };
  std::vector<Explained> explanations;  // of each waiting job after each pass
  std::vector<SimTime> passes;
  std::map<std::uint32_t, Service> service;  // of nodes that changed it, at the end
  IdVector<ShapeId, Demand> demands;
  Loads load;
  RunSummary summary;
  Summary report;       // what summary.json would say
  std::string verdict;  // of the referee; empty if it has nothing to say
};

Outcome run(const Setting& setting);

}  // namespace muster::cases
