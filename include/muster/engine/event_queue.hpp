#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "muster/core/check.hpp"
#include "muster/core/int128.hpp"
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
  /// Its place in the order as one number: which of two events comes first is as good as random, so a
  /// branch on it would be mispredicted half the time.
  Int128 key() const {
    return (Int128{at.time_since_epoch().count()} << 64) | static_cast<Int128>(rank);
  }
  friend bool operator<(const Event& a, const Event& b) { return a.key() < b.key(); }
};
static_assert(sizeof(Event) == 24);

/// A 4-ary min-heap in one array. Cancelling is not an operation: bump the job's epoch.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  SimTime next_time() const { return heap_.empty() ? kNever : heap_.front().at; }
  const Event& top() const { return heap_.front(); }

  void push(const Event& e) {
    heap_.push_back(e);
    sift_up(heap_.size() - 1);
  }

  Event pop() {
    const Event top = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return top;
  }

  /// Removes the events for which `stale` holds, which would be dropped one day anyway.
  template <class Stale>
  void drop_if(Stale stale) {
    heap_.erase(std::remove_if(heap_.begin(), heap_.end(), stale), heap_.end());
    // A sorted array is a heap, and the order of pops does not depend on which heap it is.
    std::sort(heap_.begin(), heap_.end());
  }

 private:
  static constexpr std::size_t kArity = 4;

  void sift_up(std::size_t i) {
    const Event e = heap_[i];
    while (i > 0) {
      const std::size_t parent = (i - 1) / kArity;
      if (!(e < heap_[parent])) break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = e;
  }

  void sift_down(const Event& e) {
    const Int128 key_of_e = e.key();
    std::size_t i = 0;
    for (;;) {
      const std::size_t first = i * kArity + 1;
      if (first >= heap_.size()) break;
      const std::size_t last = std::min(first + kArity, heap_.size());
      std::size_t best = first;
      Int128 least = heap_[first].key();
      for (std::size_t c = first + 1; c < last; ++c) {
        const Int128 key = heap_[c].key();
        best = key < least ? c : best;
        least = key < least ? key : least;
      }
      if (!(least < key_of_e)) break;
      heap_[i] = heap_[best];
      i = best;
    }
    heap_[i] = e;
  }

  std::vector<Event> heap_;
};

}  // namespace muster
