// How work is counted when speeds differ, and how a running job changes its place or size.

#include "engine.hpp"

namespace muster {

Int128 Engine::Live::done_in_stretches(Duration on_clock) const {
  Int128 done = 0;
  Duration from{};
  for (const Stretch& s : *earlier) {
    if (on_clock <= s.until) return done + Int128{(on_clock - from).count()} * s.num;
    done += Int128{(s.until - from).count()} * s.num;
    from = s.until;
  }
  return done + Int128{(on_clock - from).count()} * speed.num;
}

Duration Engine::Live::time_to_by_stretches(Int128 units) const {
  Duration from{};
  for (const Stretch& s : *earlier) {
    const Int128 here = Int128{(s.until - from).count()} * s.num;
    if (units <= here) return from + time_for(units, {s.num, speed.den});
    units -= here;
    from = s.until;
  }
  const Duration rest = time_for(units, speed);
  return rest >= kUnlimited - from ? kUnlimited : from + rest;
}

void Engine::Live::change_speed(Duration on_clock, Speed s) {
  MUSTER_CHECK(s.num > 0 && s.den == speed.den);
  if (on_clock > Duration{}) {
    if (!earlier) earlier = std::make_unique<std::vector<Stretch>>();
    if (earlier->empty() || earlier->back().until < on_clock)
      earlier->push_back({on_clock, speed.num});
  }
  speed = s;
}

Duration Engine::Live::work_off(Duration on_clock) {
  const Int128 rest = std::max(left() - done_in(on_clock), Int128{0});
  const Duration before = remaining;
  if (speed.den == 1) {  // nearly all: no division of 128 bits
    remaining = Duration{static_cast<std::int64_t>(rest)};
    part = 0;
  } else {
    remaining = Duration{static_cast<std::int64_t>(rest / speed.den)};
    part = static_cast<std::uint32_t>(rest % speed.den);
  }
  earlier.reset();
  return before - remaining;
}

void Engine::Live::set_speed(Speed s) {
  MUSTER_CHECK(s.num > 0 && (part == 0 || s.den == speed.den));
  speed = s;
}

/// The work that it has done and kept, in whole nanoseconds at speed 1.
Duration Engine::done(JobId j) const { return work_of_attempt(j) - live_[j].remaining; }

/// Whether it sits on as many GPUs as it asks for, or as an elastic job may have.
bool Engine::right_size(JobId j) const {
  const Demand& d = demands_[workload_.shape[j]];
  const std::uint32_t held = gpus_in(placements_.of(j));
  if (const Sizes range = jobs_.sizes(j); range.elastic())
    return held >= range.least && held <= range.most;
  const bool whole_nodes = d.nodes > 0 && d.per_node == 0;
  return whole_nodes ? held > 0 && held <= d.gpus : held == d.gpus;
}

/// A run begins, or goes on at another speed: up to its end or its limit, which counts work and not time.
void Engine::plan_end(JobId j) {
  Live& s = live_[j];
  const Duration limit = limit_of(j);
  const Duration duration = work_of_attempt(j);
  Int128 work = s.left();
  if (limit < duration) work -= Int128{(duration - limit).count()} * s.speed.den;
  const Duration all = s.time_to(std::max(work, Int128{0}));
  if (storage_)
    if (Storage::Stage* stage = storage_->stage(j)) return plan_stage(j, *stage, all);
  const Duration length = with_checkpoints(j, all);
  const std::uint32_t order = options_.passes == Passes::event ? s.entry.order : j.value;
  queue_.push(
      {later(later(s.start, s.entry.overhead), length), order, j.value, ++s.epoch, EventKind::end});
}

/// What it did so far counts as if it had written a checkpoint; the rest goes on where it sits by now.
void Engine::reshaped(JobId j, std::span<const Slice> before, Duration overhead, JobId by) {
  const Live& s = live_[j];
  MUSTER_CHECK(state_[j] == JobState::running && s.stop_from == kNever && overhead >= Duration{});
  const bool at_once = s.start == now_;
  const Duration kept = move_run(j, before, overhead, spent(j, now_).work, by, Mover::policy);
  part(j);
  if (!at_once)
    if (auto f = livelock_.reshaped(now_, j, by, kept > Duration{}, workload_)) find(std::move(*f));
  drop_stale_events();
}

/// Its run so far is settled: so much of its work is kept, the rest is lost. It goes on where it sits by
/// now, after `overhead`, of which so much is for reading its checkpoint. Returns what was kept.
Duration Engine::move_run(JobId j, std::span<const Slice> before, Duration overhead, Duration kept,
                          JobId by, Mover mover, std::uint32_t share, Duration read) {
  Live& s = live_[j];
  Record r{now_, j, Record::What::reshape, JobState::running, placements_.of(j), by};
  r.before = before;
  const Spent until_now = spent(j, now_);
  r.overhead = until_now.overhead;
  r.checkpoint = until_now.checkpoint;
  r.kept = kept;
  r.lost = until_now.work - kept;
  r.interrupted = mover == Mover::outage;
  r.slow = mover == Mover::found_slow;
  r.share = share;
  const Duration worked = with_checkpoints(j, s.work_off(kept));
  s.kept += kept;
  s.got_on |= kept > Duration{};
  planned_[j] =
      std::max<Duration>(planned_[j] - s.entry.overhead - worked, kOverrunStep) + overhead;
  s.start = now_;
  s.entry.overhead = overhead;
  MUSTER_CHECK(right_size(j));
  r.to_pay = overhead;
  s.set_speed(jobs_.speed(j, placements_.of(j)));
  if (storage_) begin_stage(j, read);
  plan_end(j);
  if (contention_) {
    contention_->went(j, before);
    contention_->came(j, placements_.of(j));
  }
  record(r);
  return kept;
}

/// What policies see of the run that move_run() began.
void Engine::enter_run(JobId j) {
  Live& s = live_[j];
  s.entry.start = now_;
  s.entry.end =
      later(later(now_, s.entry.overhead), time_for(planned_[j] - s.entry.overhead, s.speed));
  running_.insert(s.entry);
}

/// `j`, which runs, gets on at `speed` from now on, and spends its time so. Nothing is written down and nothing paid: a requeue still
/// falls back to its last checkpoint. Whoever has been told to go gets nothing done any more.
void Engine::reprice(JobId j, Speed speed, const TimeSplit& split) {
  Live& s = live_[j];
  MUSTER_CHECK(state_[j] == JobState::running);
  if (s.stop_from != kNever) return;
  if (s.speed != speed) replan(j, speed);
  Record r{now_, j, Record::What::reprice, JobState::running, placements_.of(j)};
  r.speed = speed;
  r.split = split;
  record(r);
}

void Engine::replan(JobId j, Speed speed) {
  Live& s = live_[j];
  const SimTime working = later(s.start, s.entry.overhead);
  s.change_speed(spent(j, now_).work, speed);
  plan_end(j);
  if (s.entry.end > now_) {
    const Duration setup = demands_[workload_.shape[j]].setup;
    const Duration paid = s.entry.overhead + (s.entry.made ? Duration{} : setup);
    const Duration planned = std::max(planned_[j] - paid, Duration{});
    running_.erase(s.entry);
    s.entry.end = later(working, s.time_to(Int128{planned.count()} * speed.den));
    if (const Storage::Stage* stage = storage_ ? storage_->stage(j) : nullptr)
      s.entry.end = later(s.entry.end, stage->late);
    running_.insert(s.entry);
    repriced_ = true;
  }
  drop_stale_events();
}

/// Each stop or reshape leaves an end behind that will never come. Where jobs take turns these would
/// outnumber all others.
void Engine::drop_stale_events() {
  if (++stale_ < 4096 || stale_ < queue_.size() / 2) return;
  stale_ = 0;
  queue_.drop_if([&](const Event& e) {
    if (e.job == kNoJob.value) return e.kind() == EventKind::store && e.epoch != storage_->epoch;
    const bool of_a_run =
        e.kind() == EventKind::end || e.kind() == EventKind::stop || e.kind() == EventKind::store;
    return of_a_run && !current(JobId{e.job}, e.epoch);
  });
}

/// Who came and went in this instant changes the speed of others.
void Engine::settle_contention() {
  for (const Contention::Factor& f : contention_->changes())
    reprice(f.job, slowed(jobs_.speed(f.job, placements_.of(f.job)), f.millionths), f.split);
  if (disturbed_) tell_paces();
}

}  // namespace muster
