#pragma once
#include <vector>

#include "muster/core/check.hpp"
#include "muster/policy/parts/rank.hpp"
#include "rungs.hpp"

namespace muster::ranked {

/// What is known of each job in the system, from its submit to its end. Entries are recycled, so a
/// long trace costs four bytes for each job and the rest for those that are there at one time.
class Roster {
 public:
  enum class State : std::uint8_t {
    waiting,
    running,
    guarded,  // runs, and its quantum is not over
    leaving,  // in its grace time
    gone
  };
  struct Entry {
    JobId job = kNoJob;
    State state = State::gone;
    ShapeId shape{};
    SimTime since = kStart;
    SimTime end = kNever;  // running: predicted
    SimTime first_start = kNever;
    Duration ran{};  // before `since`
    Int128 service = 0;
    std::int64_t milli = 0;
    Rung rung;                // waiting: its place; running: its place in the ladder, at time zero
    std::int64_t growth = 0;  // running
    SimTime look = kNever;
    JobId by = kNoJob;         // leaving: whom it makes room for
    std::uint32_t coming = 0;  // jobs that leave to make room for it
    bool runs() const { return state == State::running || state == State::guarded; }
  };

  void begin(std::size_t jobs) { index_.assign(jobs, kNone); }
  bool has(JobId j) const { return index_[j] != kNone; }
  Entry& of(JobId j) {
    MUSTER_CHECK(has(j));
    return entries_[index_[j]];
  }
  Entry& add(JobId j) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(entries_.size()));
      entries_.emplace_back();
    }
    index_[j] = free_.back();
    free_.pop_back();
    Entry& e = of(j);
    e = {};
    e.job = j;
    return e;
  }
  void remove(JobId j) {
    of(j).job = kNoJob;
    free_.push_back(index_[j]);
    index_[j] = kNone;
  }
  /// Calls visit(Entry&) for everyone, in an order that depends on nothing but the run.
  template <class Visit>
  void each(Visit visit) {
    for (Entry& e : entries_)
      if (e.job != kNoJob) visit(e);
  }

  /// What a rank may go by at `now`.
  static Standing standing(const Entry& e, const View& view);
  /// Its present state ends now: what it ran in it is added up.
  static void settle(Entry& e, SimTime now);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  IdVector<JobId, std::uint32_t> index_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace muster::ranked
