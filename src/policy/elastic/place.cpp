// Where the GPUs are that the rule has dealt out by number.

#include <algorithm>

#include "core.hpp"
#include "muster/cluster/fit.hpp"
#include "muster/policy/parts/resize.hpp"

namespace muster::elastic {

/// Looks for places on a copy of the cluster. False: a job that shall start has none, and is blocked from
/// now on, with all behind it that ask for the same.
bool Core::place_all(const View& view) {
  shrinks_.clear();
  starts_.clear();
  grows_.clear();
  if (std::all_of(claims_.begin(), claims_.end(),
                  [&](const Claim& c) { return c.size == c.held && !changes_type(view, c); }))
    return true;
  *trial_ = view.cluster;
  const bool some_leave = shrink_all(view);
  if (!start_all(view, some_leave)) return false;
  grow_all(view);
  return true;
}

/// Whether it runs, and shall go on with GPUs of another type: then it is stopped and started there.
bool Core::changes_type(const View& view, const Claim& c) const {
  if (view.fleet.pools.size() == 1 || c.waits() || c.size == 0) return false;
  const std::uint8_t pool = members_[c.job].entry.pool;
  return pool != RunningJob::kSeveral && ((c.pools >> pool) & 1) == 0;
}

/// Whether somebody still holds GPUs that are meant for others.
bool Core::shrink_all(const View& view) {
  bool some_leave = false;
  queues_of_leavers_.clear();
  for (Claim& c : claims_) {
    if (c.waits()) continue;
    const bool goes = c.size == 0 || changes_type(view, c);
    if (c.size >= c.held && !goes) continue;
    const auto where = view.placements.of(c.job);
    const auto milli = static_cast<std::uint32_t>(c.milli);
    Change change{&c, {}};
    if (goes && view.jobs.grace(c.job) > Duration{}) {
      some_leave = true;
      queues_of_leavers_.insert(c.queue);
    } else {
      trial_->give_back(where, milli);
      if (!goes) {
        change.slices = part_of(where, c.size);
        trial_->take(change.slices, milli);
      }
    }
    shrinks_.push_back(std::move(change));
  }
  return some_leave;
}

/// A place in slices_ for `d`. (A placer only promises to find one for what fits.)
bool Core::find_place(const Demand& d) {
  return fits(*trial_, d) && placer_->place(*trial_, d, slices_);
}

/// The same for `c` with so many GPUs, where it shall have them.
bool Core::find_place(const View& view, const Claim& c, std::uint32_t gpus) {
  Demand d = demands_.of(view, c.job, gpus);
  d.pools &= c.pools;
  return find_place(d);
}

bool Core::start_all(const View& view, bool some_leave) {
  for (Claim& c : claims_) {
    const bool moves = changes_type(view, c);
    if ((!c.waits() && !moves) || c.size == 0 || waits_for_leavers(c)) continue;
    if (moves && view.jobs.grace(c.job) > Duration{}) continue;  // it starts when it has gone
    const std::uint32_t needs = least(view, c).gpus;
    std::uint32_t size = c.size;
    while (size > needs && !find_place(view, c, size)) --size;
    if (size <= needs && !find_place(view, c, size)) {
      if (some_leave || moves) continue;  // it starts when they are gone, or there is room
      blocked_[{view.jobs.shape(c.job), needs}] = key(view, c.job);
      return false;
    }
    trial_->take(slices_, static_cast<std::uint32_t>(c.milli));
    placer_->started();
    starts_.push_back({&c, slices_});
  }
  return true;
}

void Core::grow_all(const View& view) {
  for (Claim& c : claims_) {
    if (c.waits() || waits_for_leavers(c) || changes_type(view, c)) continue;
    for (std::uint32_t size = c.size; size > c.held; --size) {
      if (!grow(view, c, size)) continue;
      trial_->give_back(view.placements.of(c.job));
      trial_->take(slices_);
      placer_->started();
      grows_.push_back({&c, slices_});
      break;
    }
  }
}

/// A place for `c` with so many GPUs, in slices_: what it has and some more if that will do, else another
/// one altogether.
bool Core::grow(const View& view, const Claim& c, std::uint32_t gpus) {
  const auto where = view.placements.of(c.job);
  Demand d = demands_.of(view, c.job, gpus);
  d.pools &= c.pools;
  if (d.by_count) {
    Demand more = d;
    more.gpus = more.least = gpus - c.held;
    if (!find_place(more)) return false;
    slices_ = joined(where, slices_);
    return true;
  }
  if (extended_on_its_node(*trial_, where, gpus, slices_)) return true;
  trial_->give_back(where);
  const bool found = find_place(d);
  trial_->take(where);
  return found;
}

}  // namespace muster::elastic
