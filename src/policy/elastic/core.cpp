#include "core.hpp"

#include <algorithm>

#include "muster/cluster/fit.hpp"
#include "muster/core/multiples.hpp"
#include "muster/policy/parts/never_fits.hpp"
#include "muster/policy/parts/predictor.hpp"

namespace muster::elastic {
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
  members_ = JobSlots<Member>(view.jobs.size());
  hides_ = !view.calendar && view.fleet.pools.size() == 1;
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
    room_.reset(view, leaving_, in_the_system_ - leaving_.size());
    if (hides_rigid_) room_.keep(held_by_rigid_);
    if (hides_rigid_) room_.keep({-held_by_shown_, {}});
    if (hides_elastic_) room_.keep(held_by_elastic_);
    rule_->deal(view, claims_, room_, plan);
  } while (!place_all(view));
  carry_out(view, plan);
  explain_shapes(view, plan);
  ask_for_the_next_pass(view, plan);
}

bool Core::may_change(SimTime now, const Member& m) const {
  if (params_.interval > Duration{} && next_multiple(now, params_.interval) != now) return false;
  return params_.cooldown == Duration{} || now >= later(m.changed, params_.cooldown);
}

/// `gpus`: that it has from now on; 0: it is stopped.
void Core::note_change(const View& view, Member& m, std::uint32_t gpus) {
  m.changes += gpus > 0 && m.most_held > 0;
  m.changed = view.now;
  m.most_held = std::max(m.most_held, gpus);
}

/// In the order of place_all(), so that all GPUs are free when somebody takes them.
void Core::carry_out(const View& view, Plan& plan) {
  for (const Change& change : shrinks_) {
    const Claim& c = *change.claim;
    Member& m = members_[c.job];
    note_change(view, m, gpus_in(change.slices));
    note_held(view, m, c.job, gpus_in(change.slices));
    if (!change.slices.empty())
      plan.reshape(c.job, change.slices, params_.resize_cost, c.taken_by);
    else
      set_state(view, c.job,
                plan.preempt(c.job, c.taken_by, PreemptMode::checkpoint) ? State::waiting
                                                                         : State::leaving);
  }
  for (const Change& change : starts_) {
    Member& m = members_[change.claim->job];
    note_change(view, m, gpus_in(change.slices));
    set_state(view, change.claim->job, State::running);
    note_held(view, m, change.claim->job, gpus_in(change.slices));
    const Speed s = view.jobs.speed(change.claim->job, change.slices);
    if (s.num != s.den) note_odd(m);
    plan.start(change.claim->job, change.slices);
    const RunningJob& r = plan.steps().back().running;
    all_work_from_ = std::max(all_work_from_, r.start + r.overhead);
  }
  for (const Change& change : grows_) {
    Member& m = members_[change.claim->job];
    note_change(view, m, gpus_in(change.slices));
    note_held(view, m, change.claim->job, gpus_in(change.slices));
    plan.reshape(change.claim->job, change.slices, params_.resize_cost);
  }
}

/// Jobs that must be left alone may be changed later, without anything else happening.
void Core::ask_for_the_next_pass(const View& view, Plan& plan) {
  if (params_.interval == Duration{} && params_.cooldown == Duration{}) return;
  if (elastic_.empty()) return;
  if (params_.interval > Duration{}) plan.wake_at(multiple_after(view.now, params_.interval));
  if (params_.cooldown == Duration{}) return;
  elastic_.each([&](const Key& k) {
    const SimTime next = later(members_[k.second].changed, params_.cooldown);
    if (next > view.now) plan.wake_at(next);
    return true;
  });
}

}  // namespace muster::elastic
