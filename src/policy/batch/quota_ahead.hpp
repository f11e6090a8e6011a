#pragma once
#include <optional>

#include "core.hpp"

namespace muster::batch {

/// What the queues will have left at the promised time: those who will have ended by then use nothing. Looked
/// at where somebody would outlast the promise, or the promised job's queue is at its limit; O(jobs that run).
class QuotaAhead {
 public:
  /// At `at`, or now if that is past: who overruns is about to end.
  void look(const Core& core, const View& view, SimTime at) {
    at = std::max(at, view.now);
    if (tree_ && at_ == at && stamp_ == core.stamp()) return;
    at_ = at;
    stamp_ = core.stamp();
    tree_ = core.quota()->tree();
    view.running.each([&](const RunningJob& r) {
      if (r.end <= at) tree_->release(core.quota()->node(view.jobs.queue(r.job)), r.milli);
      return true;
    });
  }
  /// Whether `j` may start then.
  bool admits(const Core& core, const View& view, JobId j) const {
    return core.admits(*tree_, view, j);
  }
  /// Whether it still may if `other` runs then.
  bool admits_beside(const Core& core, const View& view, JobId j, JobId other) {
    return core.admits_beside(*tree_, view, j, other);
  }

 private:
  std::optional<QuotaTree> tree_;
  SimTime at_ = kNever;
  std::uint64_t stamp_ = 0;
};

}  // namespace muster::batch
