// Whom the rule is shown, and as what.

#include <algorithm>

#include "core.hpp"
#include "muster/cluster/fit.hpp"
#include "muster/core/multiples.hpp"

namespace muster::elastic {
namespace {

/// The work that `r` is planned to have left, at speed 1.
Duration work_left(const View& view, const RunningJob& r) {
  if (r.end == kNever) return kLongest;
  const Duration clock = left_of(r, std::max(view.now, r.start + r.overhead));
  const Speed s = view.jobs.speed(r.job, view.placements.of(r.job));
  if (s.num == s.den) return clock;
  return Duration{static_cast<std::int64_t>(Int128{clock.count()} * s.num / s.den)};
}

}  // namespace

/// Jobs that keep what they have whatever the rule says are not shown to it: their GPUs are taken before.
void Core::make_claims(const View& view) {
  const bool all_fixed =
      params_.interval > Duration{} && next_multiple(view.now, params_.interval) != view.now;
  held_by_shown_ = 0;
  const bool served = !all_fixed && serve_by_turn(view);
  hides_rigid_ = hides_ && (all_fixed || served || rule_->keeps_rigid());
  hides_elastic_ = hides_ && all_fixed && !rule_->minds_fixed();
  if (!served) choose(view);
  add_running(view);
  std::sort(shown_.begin(), shown_.end());
  claims_.clear();
  for (const Key& k : shown_) {
    const Member& m = members_[k.second];
    claims_.push_back(claim_of(view, k.second, m));
    Claim& c = claims_.back();
    if (c.waits()) c.blocked = blocked(view, k, least(view, c));
  }
  leaving_.clear();
  leaving_jobs_.each([&](const Key& k) {
    leaving_.push_back(k.second);
    return true;
  });
}

void Core::add_running(const View& view) {
  const auto show = [&](const Key& k) {
    shown_.push_back(k);
    return true;
  };
  if (!hides_elastic_) elastic_.each(show);
  if (!hides_rigid_) rigid_.each(show);
  if ((hides_elastic_ || elastic_.empty()) && (hides_rigid_ || rigid_.empty())) return;
  view.running.each([&](const RunningJob& r) {
    members_[r.job].entry = r;
    return true;
  });
}

/// What is dealt out in this pass.
std::int64_t Core::milli_to_deal(const View& view) const {
  return std::int64_t{view.fleet.gpus} * 1000 - (hides_rigid_ ? held_by_rigid_.milli : 0) -
         (hides_elastic_ ? held_by_elastic_.milli : 0);
}

/// Those that wait and are shown.
void Core::choose(const View& view) {
  shown_.clear();
  if (!turns_.empty()) return choose_by_turn(view);
  std::int64_t room = milli_to_deal(view);
  waiting_.each([&](const Key& k) {
    shown_.push_back(k);
    if (!rule_->in_order()) return true;
    Claim one;
    one.job = k.second;
    const Demand& d = least(view, one);
    room -= d.total_milli();
    return room >= 0 && !blocked(view, k, d);
  });
}

/// Of each kind as many as could run, and one that could not, those whose turn it is first. Where some are
/// blocked the next ones are looked at, but not all.
void Core::choose_by_turn(const View& view) {
  constexpr std::int64_t kLookedAt = 4;
  for (const auto& [kind, turns] : turns_) {
    Claim one;
    one.job = turns.begin()->second.second;
    const Demand& d = least(view, one);
    const std::int64_t each = std::max<std::int64_t>(1, d.total_milli());
    std::int64_t room = milli_to_deal(view);
    std::int64_t looks = kLookedAt * (std::int64_t{view.fleet.gpus} * 1000 / each + 1);
    for (const auto& [turn, k] : turns) {
      if (room < 0 || looks-- == 0) break;
      if (blocked(view, k, d)) continue;
      shown_.push_back(k);
      room -= each;
    }
  }
}

bool Core::blocked(const View& view, const Key& k, const Demand& least) const {
  if (blocked_.empty()) return false;
  const auto from = blocked_.find({view.jobs.shape(k.second), least.gpus});
  return from != blocked_.end() && from->second <= k;
}

Claim Core::claim_of(const View& view, JobId j, const Member& m) {
  const Demand& d = view.demands[view.jobs.shape(j)];
  const Sizes range = view.jobs.sizes(j);
  Claim c;
  c.job = j;
  c.queue = view.jobs.queue(j);
  c.milli = d.milli;
  c.pools = d.pools;
  c.anywhere = types_of(view, j);
  c.sizes = range.elastic() ? range : Sizes{d.gpus, d.gpus};
  c.age = view.now - view.jobs.submit(j);
  c.overhead = params_.resize_cost;
  c.changes = m.changes;
  c.most_held = m.most_held;
  if (m.state != State::running) {
    c.left = view.jobs.planned(j);
    return c;
  }
  c.held = gpus_in(view.placements.of(j));
  c.fixed = !may_change(view.now, m);
  if (!range.elastic() || c.fixed) c.sizes = {c.held, c.held};
  if (m.entry.pool != RunningJob::kSeveral) c.pools = PoolMask{1} << m.entry.pool;
  c.left = work_left(view, m.entry);
  return c;
}

PoolMask Core::types_of(const View& view, JobId j) {
  const Demand& d = view.demands[view.jobs.shape(j)];
  if (view.fleet.pools.size() == 1) return d.pools;
  Claim c;
  c.job = j;
  Demand least_of_it = least(view, c);
  const auto [at, fresh] = types_.try_emplace({view.jobs.shape(j), least_of_it.gpus});
  if (!fresh) return at->second;
  for (std::size_t p = 0; p < view.fleet.pools.size(); ++p) {
    least_of_it.pools = d.pools & (PoolMask{1} << p);
    if (least_of_it.pools != 0 && fits(*empty_, least_of_it)) at->second |= least_of_it.pools;
  }
  return at->second;
}

}  // namespace muster::elastic
