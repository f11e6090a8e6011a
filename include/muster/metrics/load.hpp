#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/cluster/demand.hpp"
#include "muster/core/int128.hpp"
#include "muster/metrics/summary.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// What a trace asks of the GPUs of one type, or of the whole fleet (docs/metrics.md, offered load):
/// told before a run, so that nobody waits hours for a queue that had to grow without bound.
struct Load {
  std::string gpu_type;    // of the pool; "" also for the whole fleet
  std::uint64_t jobs = 0;  // that can run nowhere else
  std::int64_t capacity_milli = 0;
  Int128 asked = 0;  // true run time x GPUs, in thousandth-GPU nanoseconds
  SimTime from, to;  // the trace's span, see Loads

  /// Times at which more GPUs were in use than there are, taken together.
  struct Above {
    std::uint64_t windows = 0;
    Duration in_all{};
    SimTime from, to;  // the window with the highest peak; the first of those
    std::int64_t peak_milli = 0;
  };
  std::optional<Above> above;

  double ratio() const;  // asked over capacity x span; 0 if the span is empty
};

/// The span is the time in which the work arrives: from the first submit to the last, or as long as
/// the longest job if that is longer. `above` looks at when jobs ran: when the trace says they did or,
/// where it does not say, from their submit on, as if nobody ever waited.
struct Loads {
  Load fleet;                           // all jobs, all GPUs
  std::vector<Load> pools;              // by pool; only jobs that no other pool may take
  std::uint64_t flexible = 0;           // jobs that several pools may take: in `fleet` alone
  std::uint64_t impossible = 0;         // jobs that could not start on the empty fleet: in none
  std::vector<JobId> impossible_first;  // the first 5
  JobId widest = kNoJob;                // the job that asks for most GPUs, possible or not
  bool widest_fits = true;
  bool recorded = false;  // whether the trace says when jobs ran

  /// The pools that are asked for more than they have and, of several pools, the whole fleet.
  std::vector<Load> above_1() const;
};

/// `windows`: also when the recorded use lay above the capacity (Load::above), which takes a sort.
Loads loads(const Workload& workload, const Fleet& fleet, const IdVector<ShapeId, Demand>& demands,
            bool windows = true);

/// "offered load 87.3 % of 128 GPUs over 3.2 d", and what follows from it if it is too much.
std::string load_text(const Load& load);

/// "offered_load_above_1: offered load 133.3 % of ...", one for each of above_1().
std::vector<std::string> load_warnings(const Loads& loads);

/// Puts it into the summary of the run: its offered_load, and the warnings before its others.
void note_load(const Loads& loads, Summary& summary);

}  // namespace muster
