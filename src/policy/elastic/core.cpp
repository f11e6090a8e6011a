#include "core.hpp"

#include <algorithm>

#include "muster/policy/parts/never_fits.hpp"
#include "muster/policy/parts/predictor.hpp"

namespace muster::elastic {
namespace {

/// The work that `r` is planned to have left, at speed 1.
Duration work_left(const View& view, const RunningJob& r) {
  if (r.end == kNever) return kLongest;
  const Duration clock =
      std::max<Duration>(r.end - std::max(view.now, r.start + r.overhead), kOverrunStep);
  const Speed s = view.jobs.speed(r.job, view.placements.of(r.job));
  return Duration{static_cast<std::int64_t>(Int128{clock.count()} * s.num / s.den)};
}

}  // namespace

Core::Core(const Params& params)
    : params_(params),
      rule_(SizeRules::all().at(params.sizes).make(params.size_options)),
      demands_(params.cutting) {}

Planning Core::planning() const {
  Planning p = with_predictor(params_.planning, {});
  p.restart_cost = params_.resize_cost;
  return p;
}

std::unique_ptr<Placer> Core::make_placer(std::uint64_t seed) const {
  return Placers::all().at(params_.placer).make(seed);
}

void Core::begin(const View& view, std::uint64_t seed) {
  placer_ = make_placer(seed);
  empty_.emplace(view.cluster);
  trial_.emplace(view.cluster);
  room_.begin(view, params_.caps);
}

std::optional<Rejection> Core::refuse(const View& view, JobId j) {
  Claim c = claim_of(view, j, {});
  const Demand& d = least(view, c);
  if (auto refusal = never_fits(view, *empty_, j, d)) return refusal;
  const std::int64_t cap = room_.cap(c.queue);
  if (cap == Room::kUnlimited || d.total_milli() <= cap * 1000) return std::nullopt;
  return Rejection{j, "exceeds_queue_cap",
                   "job " + std::string{view.jobs.id_text(j)} + " needs " + describe(d) +
                       ", queue " + std::string{view.jobs.names()[c.queue]} + " may use " +
                       std::to_string(cap)};
}

void Core::decide(const View& view, Plan& plan) {
  absorb(view);
  blocked_.clear();
  do {
    make_claims(view);
    room_.reset(view, leaving_);
    rule_->deal(view, claims_, room_, plan);
  } while (!place_all(view));
  carry_out(view, plan);
  explain_shapes(view, plan);
  ask_for_the_next_pass(view, plan);
}

void Core::absorb(const View& view) {
  for (const RunningJob& r : view.ended) members_.erase(key(view, r.job));
  for (const JobId j : view.left) members_.erase(key(view, j));
  for (const JobId j : view.joined) members_.emplace(key(view, j), Member{});
}

void Core::make_claims(const View& view) {
  view.running.each([&](const RunningJob& r) {
    members_.at(key(view, r.job)).entry = r;
    return true;
  });
  claims_.clear();
  leaving_.clear();
  for (const auto& [k, m] : members_) {
    if (m.state == State::leaving) {
      leaving_.push_back(k.second);
      continue;
    }
    claims_.push_back(claim_of(view, k.second, m));
    Claim& c = claims_.back();
    if (!c.waits() || blocked_.empty()) continue;
    const auto from = blocked_.find({view.jobs.shape(c.job), least(view, c).gpus});
    c.blocked = from != blocked_.end() && from->second <= k;
  }
}

Claim Core::claim_of(const View& view, JobId j, const Member& m) const {
  const Demand& d = view.demands[view.jobs.shape(j)];
  const Sizes range = view.jobs.sizes(j);
  Claim c;
  c.job = j;
  c.queue = view.jobs.queue(j);
  c.milli = d.milli;
  c.pools = d.pools;
  c.sizes = range.elastic() ? range : Sizes{d.gpus, d.gpus};
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

bool Core::may_change(SimTime now, const Member& m) const {
  if (params_.interval > Duration{} && now.time_since_epoch() % params_.interval != Duration{})
    return false;
  return params_.cooldown == Duration{} || now >= later(m.changed, params_.cooldown);
}

/// In the order of place_all(), so that all GPUs are free when somebody takes them.
void Core::carry_out(const View& view, Plan& plan) {
  for (const Change& change : shrinks_) {
    const Claim& c = *change.claim;
    Member& m = members_.at(key(view, c.job));
    m.changed = view.now;
    if (!change.slices.empty())
      plan.reshape(c.job, change.slices, params_.resize_cost, c.taken_by);
    else
      m.state = plan.preempt(c.job, c.taken_by, PreemptMode::checkpoint) ? State::waiting
                                                                         : State::leaving;
  }
  for (const Change& change : starts_) {
    Member& m = members_.at(key(view, change.claim->job));
    m.changed = view.now;
    m.state = State::running;
    plan.start(change.claim->job, change.slices);
  }
  for (const Change& change : grows_) {
    members_.at(key(view, change.claim->job)).changed = view.now;
    plan.reshape(change.claim->job, change.slices, params_.resize_cost);
  }
}

/// Jobs that must be left alone may be changed later, without anything else happening.
void Core::ask_for_the_next_pass(const View& view, Plan& plan) {
  const bool any = std::any_of(members_.begin(), members_.end(), [&](const auto& member) {
    return member.second.state == State::running && view.jobs.sizes(member.first.second).elastic();
  });
  if (!any) return;
  if (params_.interval > Duration{})
    plan.wake_at(view.now + (params_.interval - view.now.time_since_epoch() % params_.interval));
  if (params_.cooldown == Duration{}) return;
  for (const auto& [k, m] : members_)
    if (const SimTime next = later(m.changed, params_.cooldown);
        m.state == State::running && next > view.now && view.jobs.sizes(k.second).elastic())
      plan.wake_at(next);
}

}  // namespace muster::elastic
