#pragma once
#include <cstdint>
#include <span>

#include "muster/engine/record.hpp"
#include "muster/ledger/gpu_book.hpp"
#include "muster/ledger/wait_book.hpp"

namespace muster {

/// How often running jobs changed their size or their place.
struct Reshapes {
  std::uint64_t resizes = 0;     // to another number of GPUs
  std::uint64_t moves = 0;       // to as many other GPUs
  std::uint64_t gpus_moved = 0;  // GPUs given up for others, by resizes and moves
  void add(std::span<const Slice> before, std::span<const Slice> after);
  Reshapes& operator+=(const Reshapes& other) {
    resizes += other.resizes;
    moves += other.moves;
    gpus_moved += other.gpus_moved;
    return *this;
  }
};

/// All that is known of a job once nothing about it can change: it ended, or the window closed.
struct JobLine {
  JobId job = kNoJob;
  JobState state =
      JobState::never_submitted;  // running, pending or held if the window closed first
  SimTime submit{};
  SimTime first_start = kNever, last_start = kNever;  // kNever: it never started
  SimTime end = kNever;                               // kNever: it has not ended
  std::int64_t gpus_milli = 0;                        // asked for, in thousandths
  Waits waits;                          // between submit and last start, and re-queueing
  Duration kept{}, lost{}, overhead{};  // its running time, all runs together
  Duration checkpoint{};                // also: writing checkpoints
  JobGpuTime gpu_time;
  std::uint32_t preemptions = 0;
  std::uint32_t interruptions = 0;    // by outages
  std::uint32_t failed_attempts = 0;  // by itself, after which it was tried again
  std::uint32_t restarts = 0;         // starts after the first one, and in place after an outage
  Reshapes reshapes;

  bool started() const { return first_start != kNever; }
  /// It ran and came to an end of its own, good or bad: has a turnaround (CONVENTIONS C10).
  bool finished() const {
    return started() && (state == JobState::completed || state == JobState::failed ||
                         state == JobState::timeout || state == JobState::cancelled);
  }
  Duration wait() const { return first_start - submit; }  // requires started()
  Duration turnaround() const { return end - submit; }    // requires an end
  Duration run() const { return kept + lost + overhead + checkpoint; }
};

/// Takes each job's line: in the order in which the jobs end, then those left over by id.
class JobSink {
 public:
  virtual ~JobSink() = default;
  virtual void take(const JobLine&) = 0;
};

}  // namespace muster
