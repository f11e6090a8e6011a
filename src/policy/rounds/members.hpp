#pragma once
#include <map>
#include <vector>

#include "muster/core/int128.hpp"
#include "muster/policy/policy.hpp"

namespace muster::rounds {

/// What is known of a job in the system, from its submit to its end.
struct Member {
  enum class State : std::uint8_t { waiting, running, leaving /* in its grace time */, gone };

  JobId job = kNoJob;
  State state = State::waiting;
  ShapeId shape{};

  // While it holds GPUs.
  std::uint8_t type = 0;     // a pool
  SimTime since = kStart;    // counted up to then
  SimTime end = kNever;      // predicted
  SimTime working = kStart;  // its restart is paid for

  // By type: its part of the time, in millionths (Allocation); the time that it should have had by that,
  // in millionths x ns; the time that it has had.
  std::vector<std::int64_t> part;
  std::vector<Int128> due;
  std::vector<Duration> had;

  // For finish-time fairness: work per second with an n-th of the fleet, and the seconds that its work so far
  // would have taken with that.
  double isolated_throughput = 0;
  double isolated = 0;

  // Of this round.
  static constexpr int kNone = -1;
  int chosen = kNone;  // the type on which it shall run

  bool runs() const { return state == State::running; }
  /// It is still paying for its restart: a run of which nothing would be left is not stopped.
  bool guarded(SimTime now) const { return runs() && now <= working; }
};

/// In order of submission.
using Members = std::map<JobId, Member>;

}  // namespace muster::rounds
