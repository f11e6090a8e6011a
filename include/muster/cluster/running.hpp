#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "muster/cluster/block_list.hpp"
#include "muster/core/check.hpp"
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

/// Running jobs by predicted end, then by order of start. They are put in that order when somebody
/// first asks for it, and kept in it from then on: strict FIFO never asks.
class RunningJobs {
 public:
  using List = BlockList<RunningJob, HeldSum>;

  std::size_t size() const { return ordered_ ? list_.size() : loose_.size(); }
  bool empty() const { return size() == 0; }
  const RunningJob& front() const { return list().front(); }
  std::span<const List::Block> blocks() const { return list().blocks(); }
  /// Visits jobs in order until `visit` returns false. None may come or go meanwhile.
  template <class Visit>
  void each(Visit visit) const {
    list().each(visit);
  }

  void insert(const RunningJob& r) {
    if (ordered_) return list_.insert(r);
    if (r.job.value >= place_.size()) place_.resize(r.job.value + 1);
    place_[r.job] = static_cast<std::uint32_t>(loose_.size());
    loose_.push_back(r);
  }
  /// Removes the job equal to `r`, which must be there.
  void erase(const RunningJob& r) {
    if (ordered_) return list_.erase(r);
    MUSTER_CHECK(r.job.value < place_.size());
    const std::uint32_t at = place_[r.job];
    MUSTER_CHECK(at < loose_.size() && loose_[at].job == r.job && loose_[at].end == r.end);
    loose_[at] = loose_.back();
    place_[loose_[at].job] = at;
    loose_.pop_back();
  }
  /// The job will be erased soon: a job that ran long is in no cache any more. First ...
  void expect(JobId job) const {
    if (!ordered_ && job.value < place_.size()) __builtin_prefetch(&place_[job]);
  }
  /// ... then, a while later.
  void expect_next(JobId job) const {
    if (ordered_ || job.value >= place_.size()) return;
    if (const std::uint32_t at = place_[job]; at < loose_.size()) __builtin_prefetch(&loose_[at]);
  }

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
    // Some overrun: those that end for sure before now + step come first, then the overrunners. Each kind
    // is a stretch of the list.
    const SimTime overrun = now + kOverrunStep;
    bool go_on = true;
    const auto stretch = [&](auto before, auto behind, auto end_of) {
      each([&](const RunningJob& r) {
        if (before(r)) return true;
        return !behind(r) && (go_on = visit(r, end_of(r)));
      });
    };
    const auto none = [](const RunningJob&) { return false; };
    const auto late = [&](const RunningJob& r) { return r.end <= now; };
    const auto later = [&](const RunningJob& r) { return r.end >= overrun; };
    const auto own_end = [](const RunningJob& r) { return r.end; };
    stretch(late, later, own_end);
    if (go_on)
      stretch(
          none, [&](const RunningJob& r) { return !late(r); },
          [&](const RunningJob&) { return overrun; });
    if (go_on) stretch([&](const RunningJob& r) { return !later(r); }, none, own_end);
  }

 private:
  const List& list() const {
    if (!ordered_) put_in_order();
    return list_;
  }
  void put_in_order() const {
    for (const RunningJob& r : loose_) list_.insert(r);
    loose_ = {};
    place_ = {};
    ordered_ = true;
  }

  mutable bool ordered_ = false;
  mutable List list_;
  // Before that: in no order, and where in it each job that runs is found.
  mutable std::vector<RunningJob> loose_;
  mutable IdVector<JobId, std::uint32_t> place_;
};

}  // namespace muster
