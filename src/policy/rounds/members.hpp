#pragma once
#include <algorithm>
#include <vector>

#include "muster/core/int128.hpp"
#include "muster/core/job_slots.hpp"
#include "muster/policy/policy.hpp"

namespace muster::rounds {

/// What a job shall have, and has had, on GPUs of one type.
struct Share {
  Int128 due = 0;         // the time that it should have had by its parts, in millionths x ns
  std::int64_t part = 0;  // of the time, in millionths (Allocation)
  Duration had{};
};

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

  std::vector<Share> shares;  // by type

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

/// All of them.
class Members {
 public:
  void begin(std::size_t jobs) { members_ = JobSlots<Member>(jobs); }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  bool has(JobId j) const { return members_.find(j) != nullptr; }
  Member& of(JobId j) { return members_[j]; }
  const Member& of(JobId j) const { return members_[j]; }

  Member& add(JobId j) {
    const auto at = std::lower_bound(line_.begin(), line_.end(), j);
    if (at == line_.end() || *at != j) line_.insert(at, j);
    ++size_;
    Member& m = members_.open(j);
    m.job = j;
    return m;
  }
  void remove(JobId j) {
    members_.close(j);
    --size_;
    if (line_.size() > 2 * size_ + kFew) std::erase_if(line_, [this](JobId k) { return !has(k); });
  }

  /// In order of submission, until `visit` returns false.
  template <class Visit>
  void each(Visit visit) {
    for (const JobId j : line_)
      if (Member* const m = members_.find(j); m && !visit(*m)) return;
  }

 private:
  static constexpr std::size_t kFew = 64;
  JobSlots<Member> members_;
  std::vector<JobId> line_;  // at most half of it have gone
  std::size_t size_ = 0;
};

}  // namespace muster::rounds
