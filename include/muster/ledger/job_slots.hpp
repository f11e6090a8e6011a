#pragma once
#include <cstdint>
#include <vector>

#include "muster/core/check.hpp"
#include "muster/core/id.hpp"

namespace muster {

/// State of the jobs that are in the system, dense and recycled: four bytes per job of the workload,
/// and one T per job that is submitted and has not ended.
template <class T>
class JobSlots {
 public:
  explicit JobSlots(std::size_t jobs) : slot_(jobs, kUnseen) {}

  T& open(JobId job) {
    MUSTER_CHECK(slot_[job] == kUnseen);
    std::uint32_t slot;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(items_.size());
      items_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
      items_[slot] = T{};
    }
    slot_[job] = slot;
    return items_[slot];
  }

  /// Null unless the job is in the system.
  T* find(JobId job) {
    const std::uint32_t slot = slot_[job];
    return slot < kClosed ? &items_[slot] : nullptr;
  }
  const T* find(JobId job) const {
    const std::uint32_t slot = slot_[job];
    return slot < kClosed ? &items_[slot] : nullptr;
  }

  bool seen(JobId job) const { return slot_[job] != kUnseen; }

  void close(JobId job) {
    MUSTER_CHECK(slot_[job] < kClosed);
    free_.push_back(slot_[job]);
    slot_[job] = kClosed;
  }

  /// Calls f(job, T&) for the jobs in the system, by id. O(jobs of the workload): for the end.
  template <class F>
  void for_each(F&& f) {
    for (std::uint32_t j = 0; j < slot_.size(); ++j)
      if (slot_[JobId{j}] < kClosed) f(JobId{j}, items_[slot_[JobId{j}]]);
  }

 private:
  static constexpr std::uint32_t kUnseen = UINT32_MAX;
  static constexpr std::uint32_t kClosed = UINT32_MAX - 1;

  IdVector<JobId, std::uint32_t> slot_;
  std::vector<T> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace muster
