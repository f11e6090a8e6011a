#pragma once
#include "muster/core/job_slots.hpp"
#include "muster/policy/parts/rank.hpp"
#include "rungs.hpp"

namespace muster::ranked {

/// What is known of each job in the system, from its submit to its end.
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
    bool spread = false;       // on more nodes than it needs, with migrate
    JobId by = kNoJob;         // leaving: whom it makes room for
    std::uint32_t coming = 0;  // jobs that leave to make room for it
    bool runs() const { return state == State::running || state == State::guarded; }
  };

  void begin(std::size_t jobs) { entries_ = JobSlots<Entry>(jobs); }
  bool has(JobId j) const { return entries_.find(j) != nullptr; }
  Entry& of(JobId j) { return entries_[j]; }
  Entry& add(JobId j) {
    Entry& e = entries_.open(j);
    e.job = j;
    return e;
  }
  void remove(JobId j) {
    of(j).job = kNoJob;
    entries_.close(j);
  }
  /// Calls visit(Entry&) for everyone, in an order that depends on nothing but the run.
  template <class Visit>
  void each(Visit visit) {
    for (Entry& e : entries_.slots())
      if (e.job != kNoJob) visit(e);
  }

  /// What a rank may go by at `now`.
  static Standing standing(const Entry& e, const View& view);
  /// Its present state ends now: what it ran in it is added up.
  static void settle(Entry& e, SimTime now);

 private:
  JobSlots<Entry> entries_;
};

}  // namespace muster::ranked
