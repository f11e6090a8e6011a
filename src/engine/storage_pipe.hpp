#pragma once
#include <map>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/core/int128.hpp"
#include "muster/core/time.hpp"

namespace muster {

/// One pipe that is shared max-min fairly: nobody has more than its limit, and nobody could have more unless
/// another, who has no more than it, had less. Amounts are rates times nanoseconds, all in whole numbers.
class StoragePipe {
 public:
  explicit StoragePipe(Int128 rate) : rate_(rate) {}

  /// `j` has so much to move, from the next share_out() on.
  void begin(JobId j, Int128 amount, Int128 limit);
  void cancel(JobId j);
  bool busy(JobId j) const { return flows_.contains(j); }
  /// When it is through, as rates are by now; kNever before the next share_out().
  SimTime done_at(JobId j) const;
  Int128 left(JobId j, SimTime now) const;
  /// Those who are through by now, by id; they use the pipe no more.
  std::vector<JobId> take_done(SimTime now);
  /// Somebody came or left: all get their rates. Returns those who are through at another time than before.
  std::vector<JobId> share_out(SimTime now);
  bool changed() const { return changed_; }
  SimTime next_done() const;
  /// How long it would take `j` to move so much, if it began now in place of what it moves, and nobody came or left.
  Duration would_take(JobId j, Int128 amount, Int128 limit) const;

 private:
  struct Flow {
    Int128 left = 0, limit = 0, rate = 0;
    SimTime since{};  // that much is left
    SimTime done = kNever;
  };
  /// What everybody gets who is not held back by his own limit.
  Int128 level(std::vector<Int128> limits) const;

  Int128 rate_;
  std::map<JobId, Flow> flows_;
  bool changed_ = false;
};

}  // namespace muster
