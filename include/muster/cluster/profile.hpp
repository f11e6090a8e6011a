#pragma once
#include <cstdint>
#include <vector>

#include "muster/core/time.hpp"

namespace muster {

/// Free capacity over time, as a step function in thousandths of a GPU: what is left once running
/// and promised jobs are counted. Steps before the present are dropped as time goes on.
class Profile {
 public:
  explicit Profile(std::int64_t capacity = 0) : capacity_(capacity), steps_{{kStart, capacity}} {}

  /// Everything free from `now` on.
  void reset(SimTime now) { steps_.assign(1, {now, capacity_}); }
  /// Forgets what was before `now`.
  void advance(SimTime now);

  /// Adds `change` (negative: takes) over [from, to).
  void add(SimTime from, SimTime to, std::int64_t change);

  /// The earliest t >= from such that `need` are free over all of [t, t + length).
  SimTime earliest(SimTime from, std::int64_t need, Duration length) const;
  /// Whether `need` are free over all of [from, from + length).
  bool fits(SimTime from, std::int64_t need, Duration length) const;

  std::int64_t at(SimTime t) const;
  std::size_t steps() const { return steps_.size(); }

 private:
  struct Step {
    SimTime from;
    std::int64_t free;
  };
  std::size_t find(SimTime t) const;  // the step that holds at t
  std::size_t cut(SimTime t);         // makes a step begin at t

  std::int64_t capacity_;
  std::vector<Step> steps_;  // ascending; the last holds for ever
};

}  // namespace muster
