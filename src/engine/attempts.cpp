// Jobs that fail by themselves and are tried again, as their trace has it.

#include "engine.hpp"

namespace muster {

/// How many of its attempts have failed by now.
std::size_t Engine::failed_before(JobId j) const {
  const auto at = failed_attempts_.find(j);
  return at == failed_attempts_.end() ? 0 : at->second;
}

/// From its beginning to its end, whatever of it is done.
Duration Engine::work_of_attempt(JobId j) const {
  if (workload_.truth.failed_attempts.empty()) return workload_.truth.duration[j];
  return workload_.attempt(j, failed_before(j));
}

/// Whether the attempt at hand fails by itself, now that it has come to its end.
bool Engine::attempt_fails(JobId j) const {
  if (workload_.truth.failed_attempts.empty()) return false;
  const Live& s = live_[j];
  return failed_before(j) < workload_.failed_attempts(j) &&
         s.done_in(spent(j, now_).work) >= s.left();
}

/// It has been sent back to the queue once more, by an outage or by itself.
bool Engine::retries_used_up(JobId j) {
  const std::int64_t retries = options_.outages ? options_.outages->reaction.retries : -1;
  return retries >= 0 && ++live_[j].interruptions > retries;
}

/// It waits again in its old place, and the next attempt goes on from its last completed checkpoint: how long
/// that takes is in the trace. False if that is once too often.
bool Engine::try_again(JobId j) {
  ++summary_.own_failures.attempts;
  if (retries_used_up(j)) {
    ++summary_.own_failures.given_up;
    return false;
  }
  Live& s = live_[j];
  s.failed = true;
  s.by = kNoJob;
  s.mode = PreemptMode::requeue;
  stop(j, true);
  ++failed_attempts_[j];
  s.remaining = work_of_attempt(j);
  s.part = 0;
  planned_[j] = planned_for(j);
  predict(j);
  planned_[j] += next_overhead(j);
  return true;
}

void Engine::note_own_failure(JobId j, Duration lost) {
  summary_.own_failures.lost += gpu_time(j, lost);
}

/// So much time on the GPUs that it holds, in thousandth-GPU nanoseconds.
Int128 Engine::gpu_time(JobId j, Duration time) const {
  const std::uint32_t asked = workload_.shapes[workload_.shape[j]].milli;
  const std::uint32_t milli = beside_.contains(j) ? kHalf : asked == 0 ? 1000 : asked;
  return Int128{time.count()} * gpus_in(placements_.of(j)) * milli;
}

}  // namespace muster
