#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "muster/cluster/calendar.hpp"
#include "muster/core/time.hpp"

namespace muster {

/// When nodes are not there for everybody: outages, and what is kept for somebody. Part of an
/// experiment; never changes in a run.
struct OutagePlan {
  /// Nodes leave and come back.
  struct Outage {
    Window::Kind kind = Window::Kind::maintenance;  // or down
    SimTime announced{};          // known from then on; what is never before `from`
    SimTime from{}, to = kNever;  // kNever: they are not back within the run
    bool return_known = true;     // its end is known with it
    std::vector<NodeId> nodes;    // ascending
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

  /// Failures that are drawn, node by node (docs/outages.md says what the numbers are taken from).
  struct Failures {
    enum class Law : std::uint8_t { none, exponential, weibull, lognormal };
    enum class Repair : std::uint8_t { lognormal, exponential, fixed };
    Law law = Law::none;
    double rate = 0;      // failures per 1000 node-days ...
    double gpu_rate = 0;  // ... and per 1000 GPU-days, which take the node down
    double shape = 1;     // Weibull's k, or the sigma of the logarithm
    Repair repair = Repair::lognormal;
    Duration repair_time{};  // its median (lognormal), its mean (exponential), or all of it (fixed)
    double repair_sigma = 0;
    std::uint64_t seed = 1;
  };
  /// What becomes of a job when a node that it is on fails.
  struct Reaction {
    bool swap = false;          // a spare takes the place of the node; else it waits again
    Duration detection{};       // for so long it hangs before anybody notices
    std::int64_t retries = -1;  // interrupted more often than this it has failed; -1: never
  };

  std::vector<Outage> outages;            // in the order in which they were written
  std::vector<Reservation> reservations;  // also

  Failures failures;
  Reaction reaction;
  std::vector<NodeId> spares;  // ascending

  bool empty() const {
    return outages.empty() && reservations.empty() && failures.law == Failures::Law::none &&
           spares.empty();
  }
};

/// What became of a reservation.
struct ReservationOutcome {
  std::string id;
  bool confirmed = false;
  std::string code;  // "" or not_enough_unreserved, nodes_in_use, ...
  std::string text;  // "reservation R2 needs 3 nodes from 150 s to 250 s, ..."
};

}  // namespace muster
