#include "muster/lab/checkpoints.hpp"

#include <algorithm>
#include <cmath>

#include "muster/core/error.hpp"
#include "muster/engine/failure_laws.hpp"
#include "muster/lab/replay.hpp"
#include "muster/policy/parts/words.hpp"
#include "muster/workload/checkpoints.hpp"

namespace muster {
namespace {

/// What one run says.
struct RunShares {
  double ettr = 0, goodput = 0, failures = 0;
  Int128 held = 0, writing = 0, lost = 0, starting = 0;
};

RunShares outcome_of(const Summary& s) {
  const auto time = [&](GpuClass c) { return s.gpu_time[static_cast<std::size_t>(c)]; };
  RunShares o;
  o.goodput = share(s.useful_gpu_time, s.available());
  o.failures = failures_in(s);
  o.held = s.allocated();
  o.writing = time(GpuClass::checkpoint);
  o.lost = time(GpuClass::lost);
  o.starting = time(GpuClass::starting);
  return o;
}

struct Setting {
  Duration interval{};
  std::string formula;
};

/// Each half octave up to three octaves around Daly's interval, and Young's; or what was asked for.
std::vector<Setting> settings_of(const std::vector<Duration>& asked, Duration young,
                                 Duration daly) {
  std::vector<Setting> settings;
  for (const Duration d : asked) settings.push_back({d, ""});
  if (asked.empty())
    for (int i = -6; i <= 6; ++i)
      settings.push_back(
          {Duration{std::llround(static_cast<double>(daly.count()) * std::pow(2.0, i / 2.0))}, ""});
  if (daly != kUnknown) {
    settings.push_back({young, "Young"});
    settings.push_back({daly, "Daly"});
  }
  std::stable_sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
    return a.interval != b.interval ? a.interval < b.interval : a.formula > b.formula;
  });
  settings.erase(
      std::unique(settings.begin(), settings.end(),
                  [](const Setting& a, const Setting& b) { return a.interval == b.interval; }),
      settings.end());
  return settings;
}

/// Runs every setting with every seed; nothing if it was interrupted.
template <class RunOne>
bool run_all(CheckpointSweep& result, const std::vector<Setting>& settings,
             const SweepOptions& options, const RunOne& run_one) {
  const auto seeds = static_cast<std::size_t>(options.seeds);
  std::vector<RunShares> outcomes(settings.size() * seeds);
  const bool whole = sweep(settings.size(), options,
                           [&](std::size_t setting, std::size_t nth, const ProgressFn& goes_on) {
                             outcomes[setting * seeds + nth] = run_one(
                                 settings[setting].interval, options.first_seed + nth, goes_on);
                           });
  if (!whole) return false;
  result.seeds = options.seeds;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    CheckpointPoint point;
    point.interval = settings[i].interval;
    point.formula = settings[i].formula;
    RunShares sum;
    for (std::size_t n = 0; n < seeds; ++n) {
      const RunShares& o = outcomes[i * seeds + n];
      point.ettr.values.push_back(o.ettr);
      point.goodput.values.push_back(o.goodput);
      result.failures += o.failures / static_cast<double>(outcomes.size());
      sum.held += o.held;
      sum.writing += o.writing;
      sum.lost += o.lost;
      sum.starting += o.starting;
    }
    point.writing = share(sum.writing, sum.held);
    point.lost = share(sum.lost, sum.held);
    point.starting = share(sum.starting, sum.held);
    result.points.push_back(std::move(point));
  }
  return true;
}

/// Which is best, and which the seeds cannot tell from it: each seed has the same failures for all.
void judge(CheckpointSweep& result) {
  const auto& points = result.points;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].ettr.mean() > points[result.best].ettr.mean()) result.best = i;
  for (CheckpointPoint& point : result.points) {
    const Sample behind = difference(points[result.best].ettr, point.ettr);
    point.tied =
        &point != &points[result.best] && result.seeds > 1 && behind.mean() <= behind.half();
  }
}

/// The job that asks for most GPU time.
JobId heaviest(const Workload& jobs) {
  JobId most{0};
  const auto weight = [&](JobId j) {
    return seconds(jobs.truth.duration[j]) *
           std::max(1.0, static_cast<double>(jobs.shapes[jobs.shape[j]].gpus));
  };
  for (std::uint32_t i = 1; i < jobs.size(); ++i)
    if (weight(JobId{i}) > weight(most)) most = JobId{i};
  return most;
}

/// ETTR of the jobs that completed; none did, or one hangs: nothing came of it.
double ettr_of(const Summary& s) {
  return s.count(JobState::completed) == 0 || stuck(s) ? 0 : s.ettr;
}

/// The formulas' intervals for the heaviest job, as far as they can be told.
void set_formulas(CheckpointSweep& result, const Experiment& experiment) {
  const Workload& jobs = experiment.trace.workload;
  const OutagePlan* plan = experiment.engine.outages.get();
  if (jobs.size() == 0 || !plan || plan->failures.processes.empty()) return;
  const JobId job = heaviest(jobs);
  const Duration cost = Workload::at_or(jobs.checkpoint_cost, job, kUnknown);
  if (cost <= Duration{}) return;
  const Duration mttf = mttf_of_job(plan->failures, experiment.fleet, jobs, job);
  result.young = young_interval(cost, mttf);
  result.daly = daly_interval(cost, mttf);
  result.subject += "; the formulas are for job " + std::string{jobs.id_text(job)} +
                    ", which an outage interrupts every " + length_text(mttf);
}

/// What leaves the interval to the sweep may say what a checkpoint costs all the same.
ExperimentSpec with_an_interval(ExperimentSpec spec) {
  if (spec.has("/failures") && !spec.has("/failures/checkpoint_interval") &&
      !spec.has("/failures/checkpoint"))
    spec.set_text("/failures/checkpoint_interval", "1h", "--interval");
  return spec;
}

}  // namespace

std::optional<CheckpointSweep> sweep_checkpoints(const Training& training,
                                                 const std::vector<Duration>& intervals,
                                                 const SweepOptions& options) {
  CheckpointSweep result;
  const Duration mttf = training.mttf(), cost = training.checkpoint_cost;
  result.subject = training_text(training) + ", " + length_text(cost) + " for a checkpoint, " +
                   length_text(training.restart_cost) + " for a restart";
  result.young = young_interval(cost, mttf);
  result.daly = daly_interval(cost, mttf);
  const auto run_one = [&](Duration interval, std::uint64_t seed, const ProgressFn& goes_on) {
    Training one = training;
    one.checkpoint_interval = interval;
    const Summary s = measure(experiment_of(one, seed), goes_on);
    RunShares o = outcome_of(s);
    o.ettr = o.goodput = kept_share(one, s);
    return o;
  };
  if (!run_all(result, settings_of(intervals, result.young, result.daly), options, run_one))
    return std::nullopt;
  if (training.failures.law == FailureProcess::Law::exponential)
    for (CheckpointPoint& point : result.points)
      point.expected = daly_share(mttf, point.interval, cost, training.restart_cost);
  judge(result);
  return result;
}

std::optional<CheckpointSweep> sweep_checkpoints(const ExperimentSpec& given,
                                                 const std::vector<Duration>& intervals,
                                                 const SweepOptions& options) {
  const ExperimentSpec experiment = with_an_interval(given);
  CheckpointSweep result;
  const Experiment base = experiment.load();
  result.subject =
      base.name + ": " + count_text(base.trace.workload.size(), "job") + " on " + base.fleet.name;
  set_formulas(result, base);
  if (intervals.empty() && result.daly == kUnknown)
    throw InputError("--interval", "is needed: the formulas know no interval to begin with",
                     "they need failures that are drawn (/failures/law, /failures/rate) and what a "
                     "checkpoint costs (--checkpoint-cost)");
  const auto with = [&](Duration interval, std::uint64_t seed) {
    ExperimentSpec spec = experiment;
    spec.set("/seed", std::to_string(seed), "--seed");
    Experiment one = spec.load(base.fleet, base.trace);
    Workload& jobs = one.trace.workload;
    jobs.checkpoint_interval.assign(jobs.size(), interval);
    if (const OutagePlan* plan = one.engine.outages.get(); plan && !plan->write_time.empty())
      for (std::uint32_t i = 0; i < jobs.size(); ++i)
        jobs.checkpoint_interval[JobId{i}] = CheckpointRhythm::no_faster_than(
            plan->write_time[JobId{i}], interval,
            Workload::at_or(jobs.checkpoint_cost, JobId{i}, kUnknown));
    return one;
  };
  const auto run_one = [&](Duration interval, std::uint64_t seed, const ProgressFn& goes_on) {
    const Summary s = measure(with(interval, seed), goes_on);
    RunShares o = outcome_of(s);
    o.ettr = ettr_of(s);
    return o;
  };
  if (!run_all(result, settings_of(intervals, result.young, result.daly), options, run_one))
    return std::nullopt;
  if (result.daly != kUnknown)
    for (CheckpointPoint& point : result.points) {
      const Experiment one = with(point.interval, options.first_seed);
      point.expected = expected_ettr(*one.engine.outages, one.fleet, one.trace.workload);
    }
  judge(result);
  return result;
}

}  // namespace muster
