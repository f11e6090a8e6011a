#include "muster/lab/training.hpp"

#include <algorithm>
#include <cmath>

#include "muster/metrics/text.hpp"

namespace muster {
namespace {

constexpr double kThousandDays = 1000.0 * 86400e9;  // ns

double as_ns(Duration d) { return static_cast<double>(d.count()); }

/// All that it held, in the unit of the books, and a share of that.
double of_its_time(const Training& training, const Summary& summary, Int128 part) {
  return share(part, Int128{training.nodes} * 1000 * summary.window().count());
}

}  // namespace

Duration Training::node_mttf() const {
  return Duration{static_cast<std::int64_t>(kThousandDays / failures.rate)};
}

Duration Training::mttf() const { return node_mttf() / nodes; }

Duration Training::mean_repair() const {
  if (failures.repair != FailureProcess::Repair::lognormal) return failures.repair_time;
  const double mean =
      as_ns(failures.repair_time) * std::exp(failures.repair_sigma * failures.repair_sigma / 2);
  return Duration{static_cast<std::int64_t>(std::min(mean, as_ns(kLongest)))};
}

Experiment experiment_of(const Training& training, std::uint64_t seed) {
  Experiment e;
  e.name = "training";
  e.fleet = Fleet::uniform(training.nodes + training.spares, 1);
  WorkloadBuilder builder{e.trace.report};
  JobRow row;
  row.job = "training";
  row.shape.nodes = training.nodes;
  row.duration = row.estimate = kLongest;  // it is still at work when the clock is stopped
  row.checkpoint_interval = training.checkpoint_interval;
  row.checkpoint_cost = training.checkpoint_cost;
  row.restart_cost = training.restart_cost;
  builder.add(row);
  e.trace.workload = builder.finish(/*keep_origin=*/true);
  e.policy = load_policy("fifo");
  OutagePlan plan;
  plan.failures.processes = {training.failures};
  plan.failures.seed = seed;
  e.engine.outages = std::make_shared<const OutagePlan>(std::move(plan));
  e.engine.horizon = training.lasts;
  e.engine.on_livelock = OnLivelock::go_on;  // how little it gets done is what is asked
  e.seed = seed;
  return e;
}

std::string training_text(const Training& training) {
  const std::string each = length_text(training.node_mttf());
  if (training.nodes == 1) return "1 node, which fails every " + each;
  return std::to_string(training.nodes) + " nodes, one fails every " +
         length_text(training.mttf()) + " (each every " + each + ")";
}

double up_share(const Training& training, const Summary& summary) {
  return of_its_time(training, summary, summary.allocated());
}

double kept_share(const Training& training, const Summary& summary) {
  return of_its_time(training, summary, summary.ran());
}

double failures_in(const Summary& summary) {
  double times = 0;
  for (const OutageCount& cause : summary.outages) times += static_cast<double>(cause.times);
  return times;
}

double daly_share(Duration mttf, Duration interval, Duration cost, Duration restart) {
  const double m = as_ns(mttf);
  return as_ns(interval) /
         (m * std::exp(as_ns(restart) / m) * std::expm1((as_ns(interval) + as_ns(cost)) / m));
}

double k_out_of_n(std::uint32_t needed, std::uint32_t nodes, Duration mttf, Duration mean_repair) {
  const double up = as_ns(mttf) / (as_ns(mttf) + as_ns(mean_repair));
  if (up >= 1) return 1;
  // The chance that just `down` are down, in logarithms: that of none may be too small for a double.
  double log_chance = nodes * std::log(up), sum = 0;
  for (std::uint32_t down = 0; down + needed <= nodes; ++down) {
    sum += std::exp(log_chance);
    log_chance +=
        std::log(static_cast<double>(nodes - down) / (down + 1)) + std::log((1 - up) / up);
  }
  return std::min(sum, 1.0);
}

}  // namespace muster
