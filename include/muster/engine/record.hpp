#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "muster/cluster/calendar.hpp"
#include "muster/cluster/gpu_mask.hpp"
#include "muster/core/time.hpp"
#include "muster/policy/cause.hpp"
#include "muster/policy/speed.hpp"
#include "muster/policy/time_split.hpp"

namespace muster {

/// What a job is now, or was in the end. The names in files are the upper-case ones of name().
enum class JobState : std::uint8_t {
  never_submitted,  // withdrawn before it was submitted
  held,             // submitted, waits for its dependencies
  pending,          // waits for GPUs (also between two runs)
  running,
  completed,          // ended by itself, successfully
  failed,             // ended by itself, unsuccessfully (the trace says so)
  timeout,            // stopped at its limit
  cancelled,          // stopped while running, by its user or by the trace's outcome
  cancelled_pending,  // withdrawn while waiting; never ran, or not to its end
  rejected            // could not run on the whole fleet, or under its hard cap
};
std::string_view name(JobState);  // "COMPLETED"

/// One line of history. The event log is a list of these; the books, the metrics and the
/// fingerprint are made of nothing else.
struct Record {
  enum class What : std::uint8_t {
    submit,   // the job is known from here on; state pending or held
    release,  // its dependencies are done: held -> pending
    reject,   // state rejected; follows submit at once
    acquire,  // gangless policies: more of its workers got GPUs; `placement` = all it holds now
    drop,     // gangless policies: the incomplete job gave all of its GPUs back
    start,    // begins or resumes; `placement` = all GPUs it now holds
    stop,     // preempted: holds nothing now; state pending again (or its end follows)
    end,      // final; `state` says how. If it ran, it held GPUs until now
    reshape,  // goes on elsewhere, or with more or fewer GPUs; `placement` = all it holds from now on
    reprice  // gets on at another `speed` where it is, because of others; its run goes on
  };
  SimTime at;
  JobId job;
  What what;
  JobState state;                    // after this record
  std::span<const Slice> placement;  // acquire, start; and for stop, end, drop: what was held
  JobId by = kNoJob;                 // stop, reshape: the job it makes room for
  /// For reshape, stop and end of a job that ran: how the time since its last start or reshape
  /// divides, on the clock. Their sum is exactly at - start. kept counts towards completion, lost was run and thrown away (it includes
  /// grace time), overhead was paid on the GPUs before any work.
  Duration kept{}, lost{}, overhead{};
  Duration checkpoint{};  // blocked while checkpoints were written; a part of the sum
  /// For a stop, or an end that is not completion: work of *earlier* runs of this job that was
  /// counted as kept and is thrown away now (killed at its limit after a suspension, say).
  Duration lost_earlier{};
  std::span<const Slice> before{};  // reshape: what was held until now
  Duration to_pay{};                // start, reshape: overhead to come before any work
  Speed speed{};                    // reprice: from now on
  TimeSplit split{};                // reprice: of its time from now on
  /// start, reshape: thousandths of each of its GPUs that are charged to it from now on, where another job
  /// has the rest; 0: all that it asks for.
  std::uint32_t share = 0;
  bool interrupted = false;  // stop, reshape, end: by an outage, and not by the policy
  bool failed = false;       // stop: by itself, and it is tried again
  bool slow = false;         // stop, reshape: a node of it was found slow
  /// start: the workers of a gang by when they are ready, where those who are wait for the last one in
  /// sight. All of that is a part of the overhead to come.
  struct Worker {
    Duration ready{};
    std::uint32_t gpus = 0;
  };
  std::span<const Worker> workers{};
};

/// How the time of a run that has not ended when the window does divides, where that does not follow from
/// its records: what is neither is work.
struct OpenRun {
  JobId job;
  Duration overhead{}, checkpoint{};
};

/// A node leaves, comes back, or is out of service for another reason than before.
struct NodeRecord {
  SimTime at;
  NodeId node;
  Service before, after;
  /// Thousandths of its GPUs that nobody holds: they are free before (or after), and not after (or
  /// before). What jobs still hold of it changes sides when they give it back.
  std::int64_t milli = 0;
};

/// Free GPUs of one pool after a decision, in thousandths of a GPU.
struct PoolFree {
  std::int64_t free_milli = 0;
};

/// What a scheduling pass left behind: the free GPUs of each pool, and the cause for which each
/// shape that has waiting jobs still waits. Only shapes whose cause changed are listed.
struct Decision {
  struct ShapeCause {
    ShapeId shape;
    Cause cause;
  };
  SimTime at;
  std::span<const PoolFree> pools;
  std::span<const ShapeCause> causes;  // changed since the last decision
  std::uint32_t running = 0;           // jobs
  std::uint32_t waiting = 0;           // jobs, without held ones
};

/// Ranks of a job that compute slower than usual, from now on; all others compute as usual.
struct PaceRecord {
  struct Rank {
    NodeId node{};
    GpuMask gpus = 0;     // on it, that it holds
    double slowdown = 1;  // what they compute takes so many times as long
    bool operator==(const Rank&) const = default;
  };
  SimTime at;
  JobId job;
  std::span<const Rank> slow;  // by node; none: all are as usual again
  double computing = 1;        // of its time otherwise, how much it computes
  double step_s = 0;           // what a step takes otherwise; 0: not known
};

/// Listens to a run. Calls come in the order of simulated time; spans are valid during the call.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on(const Record&) {}
  virtual void node(const NodeRecord&) {}
  virtual void decided(const Decision&) {}
  virtual void paced(const PaceRecord&) {}
};

}  // namespace muster
