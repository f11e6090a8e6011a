#include "core.hpp"

#include <algorithm>

#include "muster/cluster/fit.hpp"
#include "muster/core/multiples.hpp"
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
  members_ = JobSlots<Member>(view.jobs.size());
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
    rule_->deal(view, claims_, room_, plan);
  } while (!place_all(view));
  carry_out(view, plan);
  explain_shapes(view, plan);
  ask_for_the_next_pass(view, plan);
}

void Core::absorb(const View& view) {
  for (const RunningJob& r : view.ended) forget(view, r.job);
  for (const JobId j : view.left) forget(view, j);
  for (const JobId j : view.joined) set_state(view, j, State::waiting);
}

void Core::set_state(const View& view, JobId j, State s) {
  const Key k = key(view, j);
  if (!members_.find(j)) {
    members_.open(j);
    ++in_the_system_;
  }
  members_[j].state = s;
  if (s != State::waiting) {
    holding_.insert(k);
    end_to_wait(view, k);
  } else {
    holding_.erase(k);
    begin_to_wait(view, k);
  }
}

void Core::begin_to_wait(const View& view, const Key& k) {
  end_to_wait(view, k);
  const JobId j = k.second;
  waiting_.insert(k);
  waiting_of_[view.jobs.shape(j)].insert(k);
  Member& m = members_[j];
  const Claim c = claim_of(view, j, m);
  const auto turn = rule_->turn(c);
  if (!turn) return;
  m.kind = {view.jobs.shape(j), c.queue,      view.jobs.model(j),
            c.sizes.least,      c.sizes.most, m.most_held};
  m.turn = *turn;
  turns_[m.kind].insert({m.turn, k});
}

void Core::end_to_wait(const View& view, const Key& k) {
  if (waiting_.erase(k) == 0) return;
  waiting_of_[view.jobs.shape(k.second)].erase(k);
  const Member& m = members_[k.second];
  const auto turns = turns_.find(m.kind);
  if (turns == turns_.end() || turns->second.erase({m.turn, k}) == 0) return;
  if (turns->second.empty()) turns_.erase(turns);
}

void Core::forget(const View& view, JobId j) {
  const Key k = key(view, j);
  holding_.erase(k);
  end_to_wait(view, k);
  if (!members_.find(j)) return;
  members_.close(j);
  --in_the_system_;
}

void Core::make_claims(const View& view) {
  view.running.each([&](const RunningJob& r) {
    members_[r.job].entry = r;
    return true;
  });
  claims_.clear();
  leaving_.clear();
  if (turns_.empty()) return add_claims(view, waiting_);
  choose_by_turn(view);
  add_claims(view, chosen_);
}

/// In queue order. Waiting jobs only as long as they might all run, if the rule passes nobody over.
template <class Waiting>
void Core::add_claims(const View& view, const Waiting& waiting) {
  std::int64_t room = std::int64_t{view.fleet.gpus} * 1000;
  auto holds = holding_.begin();
  auto waits = waiting.begin();
  while (holds != holding_.end() || waits != waiting.end()) {
    const bool first_holds = waits == waiting.end() || (holds != holding_.end() && *holds < *waits);
    const Key k = first_holds ? *holds++ : *waits++;
    const Member& m = members_[k.second];
    if (m.state == State::leaving) {
      leaving_.push_back(k.second);
      continue;
    }
    claims_.push_back(claim_of(view, k.second, m));
    if (first_holds) continue;
    Claim& c = claims_.back();
    const Demand& d = least(view, c);
    c.blocked = blocked(view, k, d);
    room -= d.total_milli();
    if (room < 0 && rule_->in_order()) waits = waiting.end();
  }
}

bool Core::blocked(const View& view, const Key& k, const Demand& least) const {
  if (blocked_.empty()) return false;
  const auto from = blocked_.find({view.jobs.shape(k.second), least.gpus});
  return from != blocked_.end() && from->second <= k;
}

/// Of each kind as many as could run on the whole fleet, those whose turn it is first. Where some are blocked
/// the next ones are looked at, but not all.
void Core::choose_by_turn(const View& view) {
  constexpr std::int64_t kLookedAt = 4;
  chosen_.clear();
  for (const auto& [kind, turns] : turns_) {
    Claim one;
    one.job = turns.begin()->second.second;
    const Demand& d = least(view, one);
    std::int64_t most =
        std::int64_t{view.fleet.gpus} * 1000 / std::max<std::int64_t>(1, d.total_milli());
    std::int64_t looks = kLookedAt * (most + 1);
    for (const auto& [turn, k] : turns) {
      if (most == 0 || looks-- == 0) break;
      if (blocked(view, k, d)) continue;
      chosen_.push_back(k);
      --most;
    }
  }
  std::sort(chosen_.begin(), chosen_.end());
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
    plan.start(change.claim->job, change.slices);
  }
  for (const Change& change : grows_) {
    note_change(view, members_[change.claim->job], gpus_in(change.slices));
    plan.reshape(change.claim->job, change.slices, params_.resize_cost);
  }
}

/// Jobs that must be left alone may be changed later, without anything else happening.
void Core::ask_for_the_next_pass(const View& view, Plan& plan) {
  if (params_.interval == Duration{} && params_.cooldown == Duration{}) return;
  const bool any = std::any_of(holding_.begin(), holding_.end(), [&](const Key& k) {
    return view.jobs.sizes(k.second).elastic() && members_[k.second].state == State::running;
  });
  if (!any) return;
  if (params_.interval > Duration{}) plan.wake_at(multiple_after(view.now, params_.interval));
  if (params_.cooldown == Duration{}) return;
  for (const Key& k : holding_) {
    const Member& m = members_[k.second];
    if (const SimTime next = later(m.changed, params_.cooldown);
        m.state == State::running && next > view.now && view.jobs.sizes(k.second).elastic())
      plan.wake_at(next);
  }
}

}  // namespace muster::elastic
