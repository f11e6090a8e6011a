#pragma once
#include <cstdint>

#include "muster/cluster/block_list.hpp"
#include "muster/core/id.hpp"
#include "muster/core/time.hpp"

namespace muster {

/// A job that holds GPUs, as a scheduler sees it: when it will end by its estimate, not in truth.
struct RunningJob {
  static constexpr std::uint8_t kSeveral = 255;

  SimTime end;              // start + what was planned; may lie in the past for one that overruns
  std::uint32_t order = 0;  // of starts, over the whole run
  JobId job;
  SimTime start;           // of this run, or of its last reshape
  Duration overhead{};     // paid from start on, before any work
  std::int64_t milli = 0;  // thousandths of a GPU held
  std::uint8_t pool = 0;   // or kSeveral
  bool made = false;       // its MIG instance was made for it: part of the overhead

  friend bool operator<(const RunningJob& a, const RunningJob& b) {
    return a.end != b.end ? a.end < b.end : a.order < b.order;
  }
};

/// GPUs that a block of running jobs holds in all.
struct HeldSum {
  std::int64_t milli = 0;
  void add(const RunningJob& r) { milli += r.milli; }
  bool remove(const RunningJob& r) {
    milli -= r.milli;
    return true;
  }
};

/// How far into the future a job that has passed its predicted end is taken to end, at each pass
/// anew (CONVENTIONS C4: now + 1).
inline constexpr Duration kOverrunStep = std::chrono::seconds{1};

/// Running jobs by predicted end, then by order of start.
class RunningJobs : public BlockList<RunningJob, HeldSum> {
 public:
  /// When `r` is taken to end in a pass at `now`. With `ended_counts_as_free` (passes = event, C16)
  /// an end at or before now is now.
  static SimTime effective_end(const RunningJob& r, SimTime now, bool ended_counts_as_free) {
    if (r.end > now) return r.end;
    return ended_counts_as_free ? now : now + kOverrunStep;
  }

  /// Whether some job has passed its predicted end.
  bool overrun(SimTime now) const { return !empty() && front().end <= now; }

  /// Visits jobs by effective end: visit(RunningJob, SimTime end) until it returns false.
  template <class Visit>
  void each_by_end(SimTime now, bool ended_counts_as_free, Visit visit) const {
    if (!overrun(now) || ended_counts_as_free) {
      each([&](const RunningJob& r) { return visit(r, r.end > now ? r.end : now); });
      return;
    }
    // Some overrun: those that end for sure before now + step come first, then the overrunners.
    const SimTime overrun = now + kOverrunStep;
    bool go_on = true;
    const auto part = [&](auto belongs, auto end_of) {
      each([&](const RunningJob& r) {
        if (belongs(r)) go_on = visit(r, end_of(r));
        return go_on;
      });
    };
    part([&](const RunningJob& r) { return r.end > now && r.end < overrun; },
         [](const RunningJob& r) { return r.end; });
    if (go_on)
      part([&](const RunningJob& r) { return r.end <= now; },
           [&](const RunningJob&) { return overrun; });
    if (go_on)
      part([&](const RunningJob& r) { return r.end >= overrun; },
           [](const RunningJob& r) { return r.end; });
  }
};

}  // namespace muster
