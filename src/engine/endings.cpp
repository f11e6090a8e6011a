// How jobs leave: at their end, at their limit, by their user.

#include "engine.hpp"

namespace muster {

/// The GPUs of a job that runs come back, and the policy will hear of it.
void Engine::let_go(JobId j) {
  cluster_.give_back(placements_.of(j), demands_[workload_.shape[j]].milli);
  if (contention_) contention_->went(j, placements_.of(j));
  running_.erase(live_[j].entry);
  ended_.push_back(live_[j].entry);
}

void Engine::finish(JobId j) {
  const bool fails = attempt_fails(j);
  if (fails && try_again(j)) return;
  Live& s = live_[j];
  ++s.epoch;
  let_go(j);
  const Spent run = spent(j, now_);
  const Duration work = run.work;
  const bool all_done = s.done_in(work) >= s.left();
  s.work_off(work);
  if (predictor_) predictor_->ended(jobs_, j, done(j));
  JobState state = JobState::completed;
  switch (Workload::at_or(workload_.truth.outcome, j, Outcome::completed)) {
    case Outcome::failed:
    case Outcome::node_fail:
      state = JobState::failed;
      break;
    case Outcome::cancelled:
      state = JobState::cancelled;
      break;
    case Outcome::timeout:
      state = JobState::timeout;
      break;
    case Outcome::completed:
    case Outcome::preempted:
    case Outcome::running:
    case Outcome::unknown:
      break;
  }
  if (fails) state = JobState::failed;
  if (!all_done) state = JobState::timeout;
  Record r{now_, j, Record::What::end, state, placements_.of(j)};
  r.overhead = run.overhead;
  r.checkpoint = run.checkpoint;
  (state == JobState::completed ? r.kept : r.lost) = work;
  if (state != JobState::completed) r.lost_earlier = s.kept;
  final_state(j, state, r);
}

/// It runs, and is ended for good before it is done.
void Engine::cut_off(JobId j, JobState state) {
  Live& s = live_[j];
  ++s.epoch;
  let_go(j);
  Record r{now_, j, Record::What::end, state, placements_.of(j)};
  const Spent run = spent(j, now_);
  r.overhead = run.overhead;
  r.checkpoint = run.checkpoint;
  r.lost = run.work;
  if (predictor_) {
    s.work_off(r.lost);
    predictor_->ended(jobs_, j, done(j));
  }
  r.lost_earlier = s.kept;
  r.interrupted = s.hung;
  if (s.hung) note_interruption(j, r.lost + r.lost_earlier);
  final_state(j, state, r);
}

void Engine::cancel(JobId j) {
  if (state_[j] == JobState::running) return cut_off(j, JobState::cancelled);
  Live& s = live_[j];
  if (state_[j] == JobState::pending) {
    --waiting_;
    // A policy that has not heard of it yet never needs to.
    if (const auto at = std::find(joined_.begin(), joined_.end(), j); at != joined_.end())
      joined_.erase(at);
    else
      left_.push_back(j);
    if (s.start != kNever) {  // an incomplete gang
      cluster_.give_back(placements_.of(j), demands_[workload_.shape[j]].milli);
      record({now_, j, Record::What::drop, JobState::pending, placements_.of(j)});
      placements_.recycle(j);
      --incomplete_;
    }
  }
  Record r{now_, j, Record::What::end, JobState::cancelled_pending, {}};
  r.lost_earlier = s.kept;
  final_state(j, JobState::cancelled_pending, r);
}

void Engine::final_state(JobId j, JobState state, const Record& r) {
  state_[j] = state;
  ++ended_count_;
  in_vain_ = 0;
  if (storage_) end_stage(j);
  livelock_.ended();
  record(r);
  part(j);
  placements_.recycle(j);
  live_.close(j);
  release_dependents(j);
}

void Engine::release_dependents(JobId j) {
  if (!dependencies_.any()) return;
  dependencies_.ended(j, [&](JobId next) {
    if (state_[next] != JobState::held) return;
    record({now_, next, Record::What::release, JobState::pending, {}});
    predict(next);  // its history has grown since it was submitted
    queue_up(next);
  });
}

}  // namespace muster
