// A pass of the policy, and how what it decided is carried out.

#include <algorithm>

#include "engine.hpp"
#include "muster/core/multiples.hpp"

namespace muster {
namespace {

constexpr std::size_t kMostWarnings = 100;

/// The first moment from `t` on at which there may be a pass: with a scheduling interval, a multiple of it.
SimTime pass_from(SimTime t, Duration interval) {
  return interval > Duration{} ? next_multiple(t, interval) : t;
}

}  // namespace

void Engine::request_pass() {
  const SimTime due = pass_from(now_, options_.scheduling_interval);
  if (due == now_) return pass();
  if (next_pass_ != due) queue_.push({due, 0, 0, 0, EventKind::pass});
  next_pass_ = due;
}

void Engine::pass() {
  ++summary_.passes;
  revise_predictions();
  plan_.begin(now_);
  policy_.decide(view(), plan_);
  joined_.clear();
  left_.clear();
  ended_.clear();
  // A policy does not know when passes are to come: its word is kept in the first one that can keep it.
  for (const Plan::Promise& p : plan_.promises())
    if (SimTime& promised = live_[p.job].promised; promised == kNever)
      promised = pass_from(p.at, options_.scheduling_interval);
  for (const Plan::Step& s : plan_.steps()) carry_out(s);
  for (const std::string& w : plan_.warnings())
    if (summary_.warnings.size() < kMostWarnings) summary_.warnings.push_back(w);
  if (plan_.wake() != kNever) {
    MUSTER_CHECK(plan_.wake() > now_);  // what a policy wakes for is still to come
    queue_.push({plan_.wake(), 0, 0, 0, EventKind::pass});
  }
  report_decision();
  look_for_deadlock();
  look_for_idling();
}

void Engine::carry_out(const Plan::Step& s) {
  const Plan::Saying saying{plan_,
                            s.verb == Plan::Verb::start  ? "starts"
                            : s.verb == Plan::Verb::drop ? "drops"
                                                         : "gives more GPUs to",
                            s.job};
  Live& live = live_[s.job];
  switch (s.verb) {
    case Plan::Verb::start:
      start(s.job, s.beside);
      break;
    case Plan::Verb::acquire:
      if (live.start == kNever) {
        live.start = now_;
        ++incomplete_;
      }
      record({now_, s.job, Record::What::acquire, JobState::pending, placements_.of(s.job)});
      break;
    case Plan::Verb::drop:
      MUSTER_CHECK(state_[s.job] == JobState::pending && live.start != kNever);
      record({now_, s.job, Record::What::drop, JobState::pending, placements_.of(s.job)});
      placements_.recycle(s.job);
      live.start = kNever;
      --incomplete_;
      if (auto f = livelock_.dropped(now_, s.job, workload_)) find(std::move(*f));
      break;
  }
}

void Engine::preempted(JobId victim, JobId by, PreemptMode mode) {
  Live& s = live_[victim];
  s.by = by;
  if (!s.hung) s.mode = mode;
  const Duration grace = Workload::at_or(workload_.grace, victim, Duration{});
  if (s.saving) return;  // it was told before, and writes by now
  s.saving = saves(victim, grace);
  if (grace == Duration{}) return stop(victim, false);
  s.stop_from = std::min(s.stop_from, now_);
  stop_storing(victim);
  const bool through_storage = s.saving && writes_shared(victim);
  const Duration goes_in = s.saving && !through_storage ? saving_time(victim) : grace;
  queue_.push({later(now_, goes_in), victim.value, victim.value, ++s.epoch, EventKind::stop});
  if (through_storage) save_shared(victim);
}

void Engine::start(JobId j, JobId beside) {
  Live& s = live_[j];
  MUSTER_CHECK(state_[j] == JobState::pending && right_size(j));
  if (s.start != kNever) --incomplete_;  // it held some of its GPUs already
  state_[j] = JobState::running;
  s.start = now_;
  s.stop_from = kNever;
  s.hung = s.saving = s.got_on = s.failed = s.slow = false;
  --waiting_;
  if (s.promised != kNever && now_ > s.promised) ++summary_.broken_promises;
  s.promised = kNever;
  if (s.entry.made) cluster_.make_instance(placements_.of(j)[0], demands_[workload_.shape[j]].mig);
  s.set_speed(jobs_.speed(j, placements_.of(j)));
  const auto workers = availability_ ? get_ready(j) : std::span<const Record::Worker>{};
  if (storage_) begin_stage(j, reads_first(s) ? restore_time(j) : Duration{});
  plan_end(j);
  if (contention_) contention_->came(j, placements_.of(j));
  livelock_.advanced(j);
  look_for_starvation(j);
  // Who came soon after it mostly starts soon after it.
  constexpr std::uint32_t kAhead = 4;
  if (arrived_ - j.value > kAhead) live_.expect(JobId{j.value + kAhead});
  Record r{now_, j, Record::What::start, JobState::running, placements_.of(j)};
  r.to_pay = s.entry.overhead;
  r.workers = workers;
  if (beside != kNoJob && pair_up(j, beside)) r.share = kHalf;
  record(r);
}

/// The victim's GPUs come back. Without grace the plan has already returned them.
void Engine::stop(JobId j, bool grace_over) {
  Live& s = live_[j];
  ++s.epoch;
  if (grace_over)
    let_go(j);
  else if (contention_)
    contention_->went(j, placements_.of(j));
  const SimTime worked_until = std::min(s.stop_from, now_);
  const Spent until_then = spent(j, worked_until);
  const bool saved = s.saving && !s.hung && has_saved(j);
  if (storage_) end_stage(j);
  const Duration kept =
      s.mode == PreemptMode::requeue && !saved ? until_then.saved : until_then.work;
  Record r{now_, j, Record::What::stop, JobState::pending, placements_.of(j), s.by};
  r.kept = kept;
  r.overhead = until_then.overhead;
  r.checkpoint = until_then.checkpoint + (saved ? now_ - worked_until : Duration{});
  r.lost = now_ - s.start - r.overhead - r.checkpoint - kept;
  r.interrupted = s.hung;
  r.failed = s.failed;
  r.slow = s.slow;
  if (s.failed) note_own_failure(j, r.lost);
  if (s.hung)
    note_interruption(j, r.lost);
  else if (availability_ && kept > Duration{})
    availability_->in_vain.erase(j);
  const Duration worked = with_checkpoints(j, s.work_off(kept));
  s.kept += kept;
  s.ran = true;
  s.start = kNever;
  const Duration setup = demands_[workload_.shape[j]].setup;  // stays in what is planned
  const Duration before = s.entry.overhead - (s.entry.made ? setup : Duration{});
  planned_[j] = std::max<Duration>(planned_[j] - setup - before - worked, kOverrunStep) + setup +
                next_overhead(j);
  record(r);
  part(j);
  placements_.recycle(j);
  // A policy that stops a job at once queues it itself, in the same pass (C7: its place is known).
  state_[j] = JobState::pending;
  oldest_ = std::min(oldest_, j.value);
  ++waiting_;
  if (grace_over) joined_.push_back(j);
  if (auto f = livelock_.evicted(now_, j, s.by, s.got_on || kept > Duration{}, workload_))
    find(std::move(*f));
  drop_stale_events();
}

void Engine::report_decision() {
  changed_.clear();
  for (const Plan::ShapeCause& c : plan_.causes()) {
    MUSTER_CHECK(c.shape.value < cause_.size() && static_cast<std::size_t>(c.cause) < kCauses);
    if (cause_[c.shape] != c.cause) {
      cause_[c.shape] = c.cause;
      changed_.push_back({c.shape, c.cause});
    }
  }
  for (std::size_t p = 0; p < free_.size(); ++p) free_[p].free_milli = cluster_.free_milli(p);
  observer_.decided({now_, free_, changed_, static_cast<std::uint32_t>(running_.size()), waiting_});
}

}  // namespace muster
