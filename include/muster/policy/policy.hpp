#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/cluster/calendar.hpp"
#include "muster/cluster/cluster.hpp"
#include "muster/cluster/demand.hpp"
#include "muster/cluster/placements.hpp"
#include "muster/cluster/running.hpp"
#include "muster/policy/cause.hpp"
#include "muster/policy/plan.hpp"
#include "muster/policy/speed.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// What a scheduler may know of the jobs: the workload's columns without the truth, and what the
/// engine learned while they ran.
class Jobs {
 public:
  Jobs(const Workload& w, const IdVector<JobId, Duration>& planned,
       const IdVector<JobId, Duration>& predicted, const SpeedModel& speeds)
      : w_(w), planned_(planned), predicted_(predicted), speeds_(speeds) {}
  std::size_t size() const { return w_.size(); }
  SimTime submit(JobId j) const { return w_.submit[j]; }
  ShapeId shape(JobId j) const { return w_.shape[j]; }
  /// What it asks for, before that is resolved for a fleet.
  const Shape& asks(JobId j) const { return w_.shapes[w_.shape[j]]; }
  NameId user(JobId j) const { return w_.user[j]; }
  NameId queue(JobId j) const { return w_.queue[j]; }
  NameId group(JobId j) const { return Workload::at_or(w_.group, j, NameId{}); }
  std::int32_t priority(JobId j) const { return Workload::at_or(w_.priority, j, 0); }
  /// The advance reservation that it is tied to; "" = none.
  NameId reservation(JobId j) const { return asks(j).reservation; }
  NameId project(JobId j) const { return Workload::at_or(w_.project, j, NameId{}); }
  NameId model(JobId j) const { return Workload::at_or(w_.model, j, NameId{}); }
  NameId kind(JobId j) const { return Workload::at_or(w_.kind, j, NameId{}); }
  Qos qos(JobId j) const { return Workload::at_or(w_.qos, j, Qos::normal); }
  /// When it should have ended; kNever if nobody cares.
  SimTime deadline(JobId j) const {
    const Duration after = Workload::at_or(w_.deadline, j, kUnknown);
    return after == kUnknown ? kNever : later(w_.submit[j], after);
  }
  Duration grace(JobId j) const { return Workload::at_or(w_.grace, j, Duration{}); }
  Sizes sizes(JobId j) const { return w_.sizes(j); }
  /// Whether its user may ask for other sizes as time goes by.
  bool changes_size(JobId j) const { return w_.size_requests.contains(j); }
  /// The size that its user wants by `now`: what it asks for, or what was said last.
  std::uint32_t size_wanted(JobId j, SimTime now) const;
  /// How fast it gets on with so many GPUs, or on these.
  Speed speed(JobId j, std::uint32_t gpus) const { return speeds_.with(j, gpus); }
  Speed speed(JobId j, std::span<const Slice> where) const { return speeds_.on(j, where); }
  Speed speed_in_pool(JobId j, std::uint32_t gpus, std::size_t pool) const {
    return speeds_.in_pool(j, gpus, pool);
  }
  /// How long it is expected to hold the GPUs it asks for once started (again): the estimate, less the
  /// work that is already kept, plus a restart overhead it would pay.
  Duration planned(JobId j) const { return planned_[j]; }
  /// How long Planning::predictor said, when it was submitted, that it would run; kUnknown if there
  /// is no predictor or its history says nothing.
  Duration predicted(JobId j) const { return Workload::at_or(predicted_, j, kUnknown); }
  /// How much of `work` done in one run survives if the job is stopped: all of it when suspended or
  /// checkpointed, up to its last completed checkpoint when requeued.
  Duration kept_if_stopped(JobId j, Duration work, PreemptMode mode) const {
    if (mode != PreemptMode::requeue) return work;
    const Duration interval = Workload::at_or(w_.checkpoint_interval, j, kUnknown);
    return interval > Duration{} ? interval * (work / interval) : Duration{};
  }
  std::string_view id_text(JobId j) const { return w_.id_text(j); }
  const Names& names() const { return w_.names; }

 private:
  const Workload& w_;
  const IdVector<JobId, Duration>& planned_;
  const IdVector<JobId, Duration>& predicted_;  // empty without a predictor
  const SpeedModel& speeds_;
};

/// All a policy may look at, valid during one call. What changed since its last decide() is told
/// as deltas, so that a deep queue costs nothing when nothing in it changes.
struct View {
  SimTime now;
  const Fleet& fleet;
  const Jobs& jobs;
  const Cluster& cluster;                    // who holds what; changes as the plan is spoken
  const IdVector<ShapeId, Demand>& demands;  // the workload's shapes, resolved for this fleet
  const RunningJobs& running;                // by predicted end; changes as the plan is spoken
  const Placements& placements;
  std::span<const JobId> joined;      // began to wait since the last decide()
  std::span<const JobId> left;        // stopped waiting without being started
  std::span<const RunningJob> ended;  // ended or left after their grace since the last decide()
  bool by_event = false;              // passes = event (CONVENTIONS C16)
  bool revised = false;  // predicted ends were put off, or brought forward, since the last decide()
  /// What is known of outages and reservations; nullptr where there is nothing to know.
  const Calendar* calendar = nullptr;
};

/// Thousandths of a GPU that a running job holds in the pools of `pools`.
inline std::int64_t held_milli(const View& view, const RunningJob& r, PoolMask pools) {
  if (r.pool != RunningJob::kSeveral) return (pools >> r.pool) & 1 ? r.milli : 0;
  return std::int64_t{gpus_in_pools(view.fleet, view.placements.of(r.job), pools)} * 1000;
}

/// What the engine must know of a policy before the run.
struct Planning {
  enum class Estimates : std::uint8_t { user, perfect, predicted };
  Estimates estimates = Estimates::user;
  /// When a job that has outlived its prediction is taken to end, see Engine::revise_predictions().
  enum class Correction : std::uint8_t { now, incremental, user };
  Correction correction = Correction::now;
  /// Who predicts run times (see predictor.hpp); "" = nobody.
  std::string predictor;
  /// For jobs whose user said nothing. kUnknown: 24 h, and nobody is killed for passing it.
  Duration default_estimate = kUnknown;
  bool kill_at_limit = true;
  /// Whether it decides by how long jobs are planned to run; if not, they only say when jobs are stopped.
  bool by_estimates = true;
  /// What a restart costs jobs whose trace says nothing. kUnknown: nothing.
  Duration restart_cost = kUnknown;
};

/// A job that can never run, with the number that breaks it (CONVENTIONS C8).
struct Rejection {
  JobId job = kNoJob;
  std::string code;  // exceeds_fleet, exceeds_queue_cap, exceeds_largest_domain, ...
  std::string text;  // "job RC needs 7 GPUs, queue q may use 4"
};

/// Why a job waits at this moment: the constraint, the numbers, and what would have to change.
struct Explanation {
  Cause cause = Cause::capacity;
  std::string
      text;  // "needs 8 whole nodes in one leaf; leaf 3 has 6, the fleet has 19 half-empty nodes"
  std::string
      remedy;  // "2 more whole nodes in leaf 3: by the estimates at 5400 s, when jobs 12 and 15 end"
  SimTime promised = kNever;  // its reservation, if it has one
};

/// Decides who runs where. Called once per instant at which anything happened, after every event of
/// that instant has been applied (CONVENTIONS C2). Acts only through `plan`; keeps its own state if
/// it needs any: it must take note of view.joined, view.left and view.ended in every call.
class Policy {
 public:
  virtual ~Policy() = default;

  /// Before the first decide(): the fleet is empty and nobody has been submitted.
  virtual void begin(const View& view, std::uint64_t seed) {
    static_cast<void>(view);
    static_cast<void>(seed);
  }
  /// Whether the cluster must keep counters per domain even if no job asks for a level.
  virtual bool wants_domains(const Fleet& fleet) const {
    static_cast<void>(fleet);
    return false;
  }
  virtual Planning planning() const { return {}; }
  /// Rules by which this policy cuts requests into nodes; the engine resolves shapes with them.
  virtual Cutting cutting() const { return {}; }
  /// Whether jobs of one shape but different queues may wait for different causes (caps): then shapes
  /// must be split by queue before the run, see split_by_queue().
  virtual bool by_queue() const { return false; }
  /// Whether it keeps nodes of advance reservations free, and runs the jobs that are tied to them.
  virtual bool keeps_reservations() const { return false; }
  /// Whether it changes the places or sizes of jobs while they run.
  virtual bool reshapes() const { return false; }
  /// At submit: why this job can never run, if so.
  virtual std::optional<Rejection> refuse(const View& view, JobId job) = 0;
  virtual void decide(const View& view, Plan& plan) = 0;
  /// Why `job`, which waits, was not started by the last decide(). Never called in the loop.
  virtual Explanation explain(const View& view, JobId job) = 0;
};

}  // namespace muster
