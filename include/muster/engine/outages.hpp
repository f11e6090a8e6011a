#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "muster/cluster/calendar.hpp"
#include "muster/core/int128.hpp"
#include "muster/core/time.hpp"
#include "muster/engine/failure_process.hpp"

namespace muster {

struct SharedStorage;

/// When nodes are not there for everybody: outages, and what is kept for somebody. Part of an
/// experiment; never changes in a run.
struct OutagePlan {
  /// Nodes leave and come back.
  struct Outage {
    Window::Kind kind = Window::Kind::maintenance;  // or down
    SimTime announced{};                // known from then on; what is never before `from`
    SimTime from{}, to = kNever;        // kNever: they are not back within the run
    bool return_known = true;           // its end is known with it
    std::vector<NodeId> nodes;          // ascending
    std::string cause = "maintenance";  // by which it is counted
    bool drain = false;                 // whoever runs there may end in peace
  };
  /// An advance reservation (CONVENTIONS C12): asked for at a time, and confirmed or denied then.
  struct Reservation {
    std::string id;
    SimTime requested{}, from{}, to = kNever;
    std::uint32_t count = 0;    // whole nodes, whichever they are; 0: those of `nodes`
    std::vector<NodeId> nodes;  // ascending
    /// A job for which it is made: as much as that asks for, from `from` on for as long as it says.
    JobId job = kNoJob;
    std::vector<std::string> users, queues;  // whose jobs may be tied to it; empty: anybody's
  };

  /// Failures that are drawn.
  struct Failures {
    std::vector<FailureProcess> processes;  // no two of one name
    std::uint64_t seed = 1;
    /// Nodes that fail so many times as often, with all that is their own. Ascending.
    std::vector<NodeId> lemons;
    double lemon_factor = 1;
  };
  /// A node that fails so often in such a time is taken out.
  struct Quarantine {
    std::int64_t after = 0;  // 0: never
    Duration window = kUnlimited;
    Duration time{};  // since the last of these failures; 0: for good
  };
  /// What becomes of a job when a node that it is on fails.
  struct Reaction {
    bool swap = false;          // a spare takes the place of the node; else it waits again
    bool evict = false;         // ... or a node of less urgent jobs, which must go
    bool shrink = false;        // an elastic one goes on without the node
    Duration activation{};      // until a cold spare works
    Duration detection{};       // for so long it hangs before anybody notices
    std::int64_t retries = -1;  // interrupted more often than this it has failed; -1: never
    bool saves = false;         // who is preempted writes a checkpoint in its grace time, if it can
  };

  std::vector<Outage> outages;            // in the order in which they were written
  std::vector<Reservation> reservations;  // also

  /// How long it takes from the start of a gang until a worker of it, one on each node, is ready; it works
  /// when the last one is.
  struct Readiness {
    enum class Law : std::uint8_t { none, exponential, lognormal, fixed };
    Law law = Law::none;
    Duration time{};  // its mean (exponential), its median (lognormal), or all of it (fixed)
    double sigma = 1;
    /// While it waits for the others a worker stays ready for so long on average (exponential), and then takes
    /// its time again.
    Duration stays = kUnlimited;
    bool gating = true;  // nobody counts as started until all are ready; else they are seen to wait
  };

  Failures failures;
  Readiness readiness;
  Quarantine quarantine;
  Reaction reaction;
  std::vector<NodeId> spares;       // ascending
  std::vector<NodeId> cold_spares;  // of these; ascending
  /// By job: so long after it was taken a checkpoint is written, while the job goes on; empty: at once.
  IdVector<JobId, Duration> write_time;
  /// Where those who write and read at one instant slow each other down; null: nobody does.
  std::shared_ptr<const SharedStorage> storage;

  bool empty() const {
    return outages.empty() && reservations.empty() && failures.processes.empty() &&
           spares.empty() && !reaction.saves && readiness.law == Readiness::Law::none;
  }
};

/// How often something took nodes away, and what that did to jobs.
struct OutageCount {
  std::string cause;                // the name of a process, "maintenance", ...
  std::uint64_t times = 0;          // that it happened
  std::uint64_t interruptions = 0;  // of running jobs
  Int128 lost = 0;                  // work of theirs thrown away, in thousandth-GPU nanoseconds
};

/// What became of a reservation.
struct ReservationOutcome {
  std::string id;
  bool confirmed = false;
  std::string code;  // "" or not_enough_unreserved, nodes_in_use, ...
  std::string text;  // "reservation R2 needs 3 nodes from 150 s to 250 s, ..."
};

}  // namespace muster
