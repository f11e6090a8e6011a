#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "core.hpp"

namespace muster::batch {

/// The waiting jobs in queue order as they stood when the pass began, read from the queue as far as somebody looks:
/// what lies beyond costs nothing. Who starts meanwhile keeps its place here.
class Ahead {
 public:
  void begin(Core& core) {
    core_ = &core;
    jobs_.clear();
    last_.reset();
    first_ = core.awaited();
    // Of these orders a start changes keys, or the list is made for who asks.
    whole_ = core.order().refresh_after_start() || core.orders_by_queue();
    if (whole_)
      core.in_order(jobs_);
    else if (first_ != kNoJob)
      jobs_.push_back(first_);
  }

  /// Whether there is an i-th job (0 = first).
  bool has(std::size_t i) {
    while (i >= jobs_.size())
      if (!read_on()) return false;
    return true;
  }
  JobId operator[](std::size_t i) const { return jobs_[i]; }

 private:
  bool read_on() {
    if (whole_) return false;
    const auto blocks = core_->queue().all().blocks();
    const auto behind = [](const Waiting& w, const auto& block) {
      return w < block.items().back();
    };
    const auto block =
        last_ ? std::upper_bound(blocks.begin(), blocks.end(), *last_, behind) : blocks.begin();
    if (block == blocks.end()) return false;
    for (const Waiting& w : block->items())
      if (w.job != first_ && (!last_ || *last_ < w)) jobs_.push_back(w.job);
    last_ = block->items().back();
    return true;
  }

  Core* core_ = nullptr;
  std::vector<JobId> jobs_;
  std::optional<Waiting> last_;  // read so far
  JobId first_ = kNoJob;         // it stands before all others
  bool whole_ = false;
};

}  // namespace muster::batch
