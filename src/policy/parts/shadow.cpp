#include "muster/policy/parts/shadow.hpp"

#include <algorithm>

#include "muster/cluster/fit_without.hpp"

namespace muster {
namespace {

bool any_shares(const Cluster& c) {
  for (std::size_t p = 0; p < c.pools(); ++p)
    if (!c.shares(p).empty()) return true;
  return false;
}

}  // namespace

SimTime Shadow::compute(const View& view, JobId head, const Demand& d) {
  demand_ = &d;
  const bool timed = view.calendar && view.calendar->timed();
  counts_ = !timed && d.by_count && !any_shares(view.cluster);
  if (!counts_ && head_ == head && future_holds_ && at_ > view.now) return at_;
  head_ = head;
  future_holds_ = !counts_;
  ++version_;
  if (counts_) return at_ = by_count(view);
  return at_ = timed ? by_calendar(view) : by_shape(view);
}

SimTime Shadow::by_count(const View& view) {
  std::int64_t free = view.cluster.free_gpus(demand_->pools);
  const std::int64_t need = demand_->gpus;
  SimTime at = kNever;
  const bool plain = view.cluster.pools() == 1 && !view.running.overrun(view.now);
  if (plain) {
    // Whole blocks that do not bring enough are skipped by their sums.
    for (const auto& block : view.running.blocks()) {
      if (at == kNever && free + block.summary().milli / 1000 < need) {
        free += block.summary().milli / 1000;
        continue;
      }
      for (const RunningJob& r : block.items()) {
        if (at != kNever && r.end > at) {
          extra_ = free - need;
          return at;
        }
        free += r.milli / 1000;
        if (at == kNever && free >= need) at = r.end;
      }
    }
  } else {
    view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
      if (at != kNever && end > at) return false;
      free += held_milli(view, r, demand_->pools) / 1000;
      if (at == kNever && free >= need) at = end;
      return true;
    });
  }
  extra_ = free - need;
  return at;
}

SimTime Shadow::by_shape(const View& view) {
  if (future_)
    *future_ = view.cluster;
  else
    future_.emplace(view.cluster);
  SimTime group = kNever;
  SimTime at = kNever;
  view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
    if (end != group && group != kNever && fits(*future_, *demand_)) {
      at = group;
      return false;
    }
    future_->give_back(view.placements.of(r.job), view.demands[view.jobs.shape(r.job)].milli);
    group = end;
    return true;
  });
  if (at == kNever && group != kNever && fits(*future_, *demand_)) at = group;
  return at;
}

/// Room appears when a job ends or nodes come back, and only then.
SimTime Shadow::by_calendar(const View& view) {
  if (future_)
    *future_ = view.cluster;
  else
    future_.emplace(view.cluster);
  const auto windows = view.calendar->windows();
  const auto all_back = [&] {
    for (const Window& w : windows)
      for (const NodeId n : w.nodes) future_->unfence(n);
  };
  all_back();
  std::vector<SimTime> times;
  std::vector<std::pair<SimTime, JobId>> ends;
  view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
    ends.emplace_back(end, r.job);
    times.push_back(end);
    return true;
  });
  for (const Window& w : windows)
    if (w.to != kNever && w.to > view.now) times.push_back(w.to);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const Duration length = view.jobs.planned(head_);
  auto gone = ends.begin();
  for (const SimTime t : times) {
    for (; gone != ends.end() && gone->first <= t; ++gone)
      future_->give_back(view.placements.of(gone->second),
                         view.demands[view.jobs.shape(gone->second)].milli);
    if (!fits(*future_, *demand_)) continue;
    view.calendar->fence(*future_, t, later(t, length));
    if (fits(*future_, *demand_)) return t;
    all_back();
  }
  return kNever;
}

std::optional<bool> Shadow::leaves_room_by_count(const Demand& candidate) const {
  if (at_ == kNever) return true;
  if (!counts_) return std::nullopt;
  if ((candidate.pools & demand_->pools) == 0 || candidate.gpus <= extra_) return true;
  if ((candidate.pools & ~demand_->pools) == 0) return false;
  return std::nullopt;
}

bool Shadow::leaves_room(const View& view, std::span<const Slice> slices, std::uint32_t milli) {
  if (at_ == kNever) return true;
  if (counts_) return gpus_in_pools(view.fleet, slices, demand_->pools) <= extra_;
  return fits_without(*future_, *demand_, slices, milli);
}

void Shadow::started(const View& view, std::span<const Slice> slices, std::uint32_t milli,
                     SimTime end) {
  if (head_ == kNoJob || end <= at_ || at_ == kNever) return;
  if (counts_)
    extra_ -= gpus_in_pools(view.fleet, slices, demand_->pools);
  else
    future_->take(slices, milli);
}

}  // namespace muster
