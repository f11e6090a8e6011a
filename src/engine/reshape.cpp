// How work is counted when speeds differ, and how a running job changes its place or size.

#include "engine.hpp"

namespace muster {

Duration Engine::Live::work_off(Duration on_clock) {
  const Int128 rest = std::max(left() - done_in(on_clock), Int128{0});
  const Duration before = remaining;
  remaining = Duration{static_cast<std::int64_t>(rest / speed.den)};
  part = static_cast<std::uint32_t>(rest % speed.den);
  return before - remaining;
}

void Engine::Live::set_speed(Speed s) {
  MUSTER_CHECK(s.num > 0 && (part == 0 || s.den == speed.den));
  speed = s;
}

/// The work that it has done and kept, in whole nanoseconds at speed 1.
Duration Engine::done(JobId j) const { return workload_.truth.duration[j] - live_[j].remaining; }

/// Whether it sits on as many GPUs as it asks for, or as an elastic job may have.
bool Engine::right_size(JobId j) const {
  const Demand& d = demands_[workload_.shape[j]];
  const std::uint32_t held = gpus_in(placements_.of(j));
  if (const Sizes range = jobs_.sizes(j); range.elastic())
    return held >= range.least && held <= range.most;
  const bool whole_nodes = d.nodes > 0 && d.per_node == 0;
  return whole_nodes ? held > 0 && held <= d.gpus : held == d.gpus;
}

/// A run begins, or goes on after a reshape: at this speed, up to its end or its limit, which counts work
/// and not time.
void Engine::plan_end(JobId j) {
  Live& s = live_[j];
  s.set_speed(jobs_.speed(j, placements_.of(j)));
  const Duration limit = limit_of(j);
  const Duration duration = workload_.truth.duration[j];
  Int128 work = s.left();
  if (limit < duration) work -= Int128{(duration - limit).count()} * s.speed.den;
  const Duration length = time_for(std::max(work, Int128{0}), s.speed);
  const std::uint32_t order = options_.passes == Passes::event ? s.entry.order : j.value;
  queue_.push(
      {later(later(now_, s.entry.overhead), length), order, j.value, ++s.epoch, EventKind::end});
}

/// What it did so far counts as if it had written a checkpoint; the rest goes on where it sits by now.
void Engine::reshaped(JobId j, std::span<const Slice> before, Duration overhead, JobId by) {
  Live& s = live_[j];
  MUSTER_CHECK(state_[j] == JobState::running && s.stop_from == kNever && overhead >= Duration{});
  Record r{now_, j, Record::What::reshape, JobState::running, placements_.of(j), by};
  r.before = before;
  r.overhead = std::min(now_ - s.start, s.entry.overhead);
  r.kept = now_ - s.start - r.overhead;
  const Duration worked = s.work_off(r.kept);
  s.kept += r.kept;
  planned_[j] =
      std::max<Duration>(planned_[j] - s.entry.overhead - worked, kOverrunStep) + overhead;
  const bool at_once = s.start == now_;
  s.start = now_;
  s.entry.overhead = overhead;
  MUSTER_CHECK(right_size(j));
  r.to_pay = overhead;
  plan_end(j);
  record(r);
  if (!at_once)
    if (auto f = livelock_.reshaped(now_, j, by, r.kept > Duration{}, workload_))
      find(std::move(*f));
  drop_stale_events();
}

}  // namespace muster
