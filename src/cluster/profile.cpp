#include "muster/cluster/profile.hpp"

#include <algorithm>

#include "muster/core/check.hpp"

namespace muster {

std::size_t Profile::find(SimTime t) const {
  const auto it = std::upper_bound(steps_.begin(), steps_.end(), t,
                                   [](SimTime x, const Step& s) { return x < s.from; });
  return it == steps_.begin() ? 0 : static_cast<std::size_t>(it - steps_.begin()) - 1;
}

void Profile::advance(SimTime now) {
  const std::size_t i = find(now);
  steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(i));
  steps_.front().from = now;
}

std::size_t Profile::cut(SimTime t) {
  const std::size_t i = find(t);
  if (steps_[i].from == t) return i;
  MUSTER_CHECK(steps_[i].from < t);
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(i) + 1, {t, steps_[i].free});
  return i + 1;
}

void Profile::add(SimTime from, SimTime to, std::int64_t change) {
  from = std::max(from, steps_.front().from);
  if (from >= to || change == 0) return;
  const std::size_t first = cut(from);
  const std::size_t last = to == kNever ? steps_.size() : cut(to);
  for (std::size_t i = first; i < last; ++i) steps_[i].free += change;
  // Neighbours that now agree are one step: the profile stays as short as the plan allows.
  if (last < steps_.size() && steps_[last].free == steps_[last - 1].free)
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(last));
  if (first > 0 && steps_[first].free == steps_[first - 1].free)
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(first));
}

SimTime Profile::earliest(SimTime from, std::int64_t need, Duration length) const {
  if (need > capacity_) return kNever;
  SimTime t = std::max(from, steps_.front().from);
  for (std::size_t i = find(t); i < steps_.size(); ++i) {
    if (steps_[i].free < need) {
      if (i + 1 == steps_.size()) return kNever;
      t = steps_[i + 1].from;
    } else if (i + 1 == steps_.size() || steps_[i + 1].from >= later(t, length)) {
      return t;
    }
  }
  return kNever;
}

bool Profile::fits(SimTime from, std::int64_t need, Duration length) const {
  const SimTime end = later(from, length);
  for (std::size_t i = find(from);
       i < steps_.size() && (steps_[i].from < end || steps_[i].from <= from); ++i)
    if (steps_[i].free < need) return false;
  return true;
}

std::int64_t Profile::at(SimTime t) const { return steps_[find(t)].free; }

}  // namespace muster
