#pragma once
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "muster/core/check.hpp"
#include "muster/core/id.hpp"

namespace muster {

/// State of the jobs that are in the system, dense and recycled: four bytes per job of the workload,
/// and one T per job that is submitted and has not ended.
template <class T>
class JobSlots {
 public:
  explicit JobSlots(std::size_t jobs = 0) : slot_(jobs, kUnseen) {}

  /// References to other jobs' state end here.
  T& open(JobId job) {
    MUSTER_CHECK(slot_[job] >= kClosed);
    std::uint32_t slot;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(items_.size());
      items_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
      std::destroy_at(&items_[slot]);
      new (&items_[slot]) T;  // without (): that would set all of it to zero first
      if (!free_.empty()) prefetch(&items_[free_.back()]);  // the next one to be opened
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

  /// It will be asked for soon: a job that waited long is in no cache any more.
  void expect(JobId job) const {
    if (const T* item = find(job)) prefetch(item);
  }

  std::size_t size() const { return slot_.size(); }  // jobs of the workload
  bool seen(JobId job) const { return slot_[job] != kUnseen; }

  /// The job must be in the system.
  T& operator[](JobId job) {
    MUSTER_CHECK(slot_[job] < kClosed);
    return items_[slot_[job]];
  }
  const T& operator[](JobId job) const {
    MUSTER_CHECK(slot_[job] < kClosed);
    return items_[slot_[job]];
  }

  /// Every slot that is or was in use, in no order of the jobs; a closed one keeps what it held last.
  std::vector<T>& slots() { return items_; }

  void close(JobId job) {
    MUSTER_CHECK(slot_[job] < kClosed);
    free_.push_back(slot_[job]);
    slot_[job] = kClosed;
  }

 private:
  static constexpr std::uint32_t kUnseen = UINT32_MAX;
  static constexpr std::uint32_t kClosed = UINT32_MAX - 1;

  static void prefetch(const T* item) {
    constexpr std::size_t kLine = 64;
    for (std::size_t at = 0; at < sizeof(T); at += kLine)
      __builtin_prefetch(reinterpret_cast<const char*>(item) + at);
  }

  IdVector<JobId, std::uint32_t> slot_;
  std::vector<T> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace muster
