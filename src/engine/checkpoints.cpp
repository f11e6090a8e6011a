// How the time of a run divides where jobs stop working while they write a checkpoint.

#include "muster/workload/checkpoints.hpp"
#include "engine.hpp"

namespace muster {

Engine::Spent Engine::spent(JobId j, SimTime until) const {
  if (storage_)
    if (const Storage::Stage* stage = storage_->stage(j)) return spent_by_stage(j, *stage, until);
  const Live& s = live_[j];
  Spent spent;
  spent.overhead = std::min(until - s.start, s.entry.overhead);
  const auto parts =
      CheckpointRhythm{workload_, j}.parts(until - s.start - spent.overhead, write_time(j));
  spent.work = parts.work;
  spent.checkpoint = parts.writing;
  spent.saved = parts.saved;
  return spent;
}

/// So long after it was taken a checkpoint is there, while the job goes on.
Duration Engine::write_time(JobId j) const {
  return options_.outages ? Workload::at_or(options_.outages->write_time, j, Duration{})
                          : Duration{};
}

/// What one takes; 0 for jobs that write none.
Duration Engine::checkpoint_cost(JobId j) const {
  return std::max(Workload::at_or(workload_.checkpoint_cost, j, kUnknown), Duration{});
}

/// How long it takes until one that is begun now is there.
Duration Engine::saving_time(JobId j) const {
  if (writes_shared(j)) return saving_time_shared(j);
  return checkpoint_cost(j) + write_time(j);
}

/// Whether a job that is told to go writes a checkpoint before it does: it can, within its grace time,
/// and has something to keep.
bool Engine::saves(JobId j, Duration grace) const {
  const Live& s = live_[j];
  if (!availability_ || !availability_->plan.reaction.saves || s.hung ||
      s.mode != PreemptMode::requeue || s.stop_from != kNever)
    return false;
  const bool writes = Workload::at_or(workload_.checkpoint_interval, j, kUnknown) > Duration{} ||
                      Workload::at_or(workload_.checkpoint_cost, j, kUnknown) != kUnknown;
  const Spent run = spent(j, now_);
  return writes && saving_time(j) <= grace && run.work > run.saved;
}

Duration Engine::with_those_written(JobId j, Duration work) const {
  const Duration cost = checkpoint_cost(j);
  const Duration interval = Workload::at_or(workload_.checkpoint_interval, j, kUnknown);
  if (cost == Duration{} || interval <= Duration{} || work <= Duration{}) return work;
  const std::int64_t written = (work - Duration{1}) / interval;
  if (written > (kUnlimited - work) / cost) return kUnlimited;
  return work + written * cost;
}

}  // namespace muster
