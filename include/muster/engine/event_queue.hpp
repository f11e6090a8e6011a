#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "muster/core/check.hpp"
#include "muster/core/time.hpp"

namespace muster {

/// What happens first when several things happen at the same instant (CONVENTIONS C2). Submissions
/// come from a cursor, after `cancel`; the scheduling pass comes last. Reordering these changes
/// every result.
enum class EventKind : std::uint8_t {
  store,    // something is read from shared storage, or written; or a job comes to that
  end,      // a running job has done its work, or reached its limit: its GPUs come back first
  stop,     // the grace time of a preempted job is over
  back,     // nodes come back: an outage or a reservation is over
  away,     // nodes leave: an outage or a reservation begins
  notice,   // an outage is announced, a reservation asked for
  cancel,   // a user withdraws a job
  disturb,  // a GPU, node or link becomes slow, or well again; somebody looks for slow ones
  pass      // a scheduling pass was asked for
};

/// 24 bytes, trivially copyable. (at, kind, order) is a total order, so the pop order is fully
/// determined by the pushes and never by the heap's layout. `order` is the trace's, or that of starts
/// with passes = event.
struct Event {
  Event(SimTime when, std::uint32_t order, std::uint32_t which, std::uint32_t of_epoch,
        EventKind kind)
      : at(when),
        rank((std::uint64_t{static_cast<std::uint8_t>(kind)} << 32) | order),
        job(which),
        epoch(of_epoch) {}

  SimTime at;
  std::uint64_t rank;  // within an instant
  std::uint32_t job;
  std::uint32_t epoch;  // matches the job's epoch, or the event is stale and is dropped

  EventKind kind() const { return static_cast<EventKind>(rank >> 32); }
};
static_assert(sizeof(Event) == 24);

/// A radix heap: the clock never goes back, so an event need only stand with those that have the same highest
/// digit in which their times differ from the clock's. When the first of such a bucket is due, the clock
/// moves to it and the others come into buckets below: each event moves a few times, and none is compared
/// with another before they meet in the same instant.
///
/// Cancelling is not an operation: bump the job's epoch.
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  SimTime next_time() const { return next_; }

  /// Not before the last one that was popped.
  void push(const Event& e) {
    MUSTER_CHECK(e.at >= clock_);
    ++size_;
    next_ = std::min(next_, e.at);
    put(e);
  }

  Event pop() {
    return pop([](const Event&) {});
  }
  /// Tells `coming` of those whose turn has come nearer.
  template <class Coming>
  Event pop(Coming coming) {
    if (due_.empty()) next_instant(coming);
    if (due_.size() > 1) std::pop_heap(due_.begin(), due_.end(), behind);
    const Event e = due_.back();
    due_.pop_back();
    --size_;
    if (due_.empty()) look_ahead();
    return e;
  }

  /// Those among which the next one is, unless that is at the time of the last one that was popped.
  std::span<const Event> soon() const {
    if (size_ == 0 || !due_.empty()) return {};
    return buckets_[first_bucket()].events;
  }

  /// Removes the events for which `stale` holds, which would be dropped one day anyway.
  template <class Stale>
  void drop_if(Stale stale) {
    std::vector<Event> left;
    const auto empty = [&](std::vector<Event>& events) {
      std::remove_copy_if(events.begin(), events.end(), std::back_inserter(left), stale);
      events.clear();
    };
    empty(due_);
    for (Bucket& b : buckets_) empty(b.events);
    levels_ = 0;
    digits_ = {};
    size_ = left.size();
    for (const Event& e : left) put(e);
    look_ahead();
  }

 private:
  static constexpr unsigned kBits = 4;  // of a digit
  static constexpr unsigned kDigits = 1U << kBits;
  static constexpr unsigned kLevels = 64 / kBits;
  static constexpr std::size_t kBuckets = std::size_t{kLevels} * kDigits;
  struct Bucket {
    SimTime first;  // of its events, if there are any
    std::vector<Event> events;
  };

  static bool behind(const Event& a, const Event& b) { return a.rank > b.rank; }
  static std::uint64_t bits(SimTime t) {
    return static_cast<std::uint64_t>(t.time_since_epoch().count());
  }
  std::size_t first_bucket() const {
    const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
    return level * kDigits + static_cast<std::size_t>(std::countr_zero(digits_[level]));
  }

  void put(const Event& e) {
    const std::uint64_t differs = bits(e.at) ^ bits(clock_);
    if (differs == 0) {
      due_.push_back(e);
      if (due_.size() > 1) std::push_heap(due_.begin(), due_.end(), behind);
      return;
    }
    const unsigned level = (static_cast<unsigned>(std::bit_width(differs)) - 1) / kBits;
    const unsigned digit = (bits(e.at) >> (level * kBits)) % kDigits;
    Bucket& b = buckets_[level * kDigits + digit];
    b.first = b.events.empty() ? e.at : std::min(b.first, e.at);
    b.events.push_back(e);
    levels_ |= 1U << level;
    digits_[level] |= 1U << digit;
  }

  void look_ahead() {
    next_ = !due_.empty() ? clock_ : size_ == 0 ? kNever : buckets_[first_bucket()].first;
  }

  template <class Coming>
  void next_instant(Coming coming) {
    const std::size_t first = first_bucket();
    const std::size_t level = first / kDigits;
    digits_[level] &= digits_[level] - 1;
    if (digits_[level] == 0) levels_ &= levels_ - 1;
    Bucket& b = buckets_[first];
    clock_ = b.first;
    for (const Event& e : b.events) {
      put(e);
      coming(e);
    }
    b.events.clear();
  }

  SimTime clock_ = kStart;                       // of the last one that was popped
  std::vector<Event> due_;                       // at that time: a heap by rank
  std::array<Bucket, kBuckets> buckets_{};       // by level of the digit, then by the digit
  std::array<std::uint32_t, kLevels> digits_{};  // whose buckets have any, one bit each
  std::uint32_t levels_ = 0;                     // the levels that have any
  std::size_t size_ = 0;
  SimTime next_ = kNever;
};

}  // namespace muster
