// How the time of a run divides where jobs stop working while they write a checkpoint.

#include "engine.hpp"

namespace muster {

/// Between checkpoints it works for an interval; writing one takes its cost, and counts when it is written.
Engine::Spent Engine::spent(JobId j, SimTime until) const {
  const Live& s = live_[j];
  Spent spent;
  spent.overhead = std::min(until - s.start, s.entry.overhead);
  const Duration rest = until - s.start - spent.overhead;
  const Duration interval = Workload::at_or(workload_.checkpoint_interval, j, kUnknown);
  const Duration cost = checkpoint_cost(j);
  if (interval <= Duration{}) {
    spent.work = rest;
    return spent;
  }
  const auto written = rest / (interval + cost);
  const Duration since = rest - written * (interval + cost);
  spent.saved = written * interval;
  spent.work = spent.saved + std::min(since, interval);
  spent.checkpoint = rest - spent.work;
  return spent;
}

/// What one takes; 0 for jobs that write none.
Duration Engine::checkpoint_cost(JobId j) const {
  return std::max(Workload::at_or(workload_.checkpoint_cost, j, kUnknown), Duration{});
}

/// How long `work` on the clock takes with the checkpoints that are written on the way: none at its end.
Duration Engine::with_checkpoints(JobId j, Duration work) const {
  const Duration cost = checkpoint_cost(j);
  const Duration interval = Workload::at_or(workload_.checkpoint_interval, j, kUnknown);
  if (cost == Duration{} || interval <= Duration{} || work <= Duration{}) return work;
  const std::int64_t written = (work - Duration{1}) / interval;
  if (written > (kUnlimited - work) / cost) return kUnlimited;
  return work + written * cost;
}

}  // namespace muster
