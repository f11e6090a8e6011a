#include "muster/policy/parts/patience.hpp"

#include <algorithm>

#include "muster/cluster/fit.hpp"

namespace muster {
namespace {

bool could_fit(const Demand& d, const Cluster& empty, Level level) {
  const auto domains =
      static_cast<std::uint32_t>(empty.fleet().domains[static_cast<std::size_t>(level)].size());
  if (domains < 2 || d.required <= level) return false;  // nothing to insist on
  for (std::uint32_t i = 0; i < domains; ++i)
    if (fits_domain(empty, d, level, i)) return true;
  return false;
}

bool on_one_node(const Demand& d) {
  if (d.milli < 1000 || d.required == Level::node) return true;
  if (!d.tasks.empty()) return d.tasks.size() == 1;
  return d.nodes > 0 ? d.nodes == 1 : d.gpus == 1 || (d.span != Span::any && d.gpus <= d.widest);
}

}  // namespace

void Patience::learn(ShapeId s, const Demand& d, const Cluster& empty) {
  if (on_one_node(d)) return;
  const Hope hope{options_.leaf > Duration{} && could_fit(d, empty, Level::leaf),
                  options_.pod > Duration{} && could_fit(d, empty, Level::pod)};
  if (hope.leaf || hope.pod) hopes_[s] = hope;
}

void Patience::joined(JobId j, ShapeId s, SimTime now) {
  const auto found = hopes_.find(s);
  if (found == hopes_.end()) return;
  if (j.value >= joined_.size()) joined_.resize(std::size_t{j.value} + 1);
  if (joined_[j.value]) return;
  joined_[j.value] = true;
  Waits w{now, now};
  if (found->second.leaf) w.leaf = w.pod = later(now, options_.leaf);
  if (found->second.pod) w.pod = later(w.leaf, options_.pod);
  insist(j, w);
}

void Patience::insist(JobId j, const Waits& w) {
  waits_[j] = w;
  by_time_.insert({w.leaf, j});
  by_time_.insert({w.pod, j});
}

void Patience::gone(JobId j) {
  const auto found = waits_.find(j);
  if (found == waits_.end()) return;
  by_time_.erase({found->second.leaf, j});
  by_time_.erase({found->second.pod, j});
  waits_.erase(found);
}

void Patience::started(JobId j) {
  if (const auto found = waits_.find(j); found != waits_.end()) started_.push_back(*found);
  gone(j);
}

void Patience::evicted(JobId j) {
  const auto found = std::find_if(started_.begin(), started_.end(),
                                  [j](const auto& entry) { return entry.first == j; });
  if (found == started_.end()) return;
  insist(j, found->second);
  started_.erase(found);
}

std::pair<Level, SimTime> Patience::stance(JobId j, SimTime now) const {
  const auto found = waits_.find(j);
  if (found != waits_.end() && now < found->second.leaf) return {Level::leaf, found->second.leaf};
  if (found != waits_.end() && now < found->second.pod) return {Level::pod, found->second.pod};
  return {Level::fleet, kNever};
}

SimTime Patience::next(SimTime now) const {
  const auto found = by_time_.upper_bound({now, kNoJob});
  return found == by_time_.end() ? kNever : found->first;
}

}  // namespace muster
