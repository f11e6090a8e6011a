#include "muster/engine/failure_laws.hpp"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

constexpr double kThousandDays = 1000.0 * 86400e9;  // ns

double as_ns(Duration d) { return static_cast<double>(d.count()); }
Duration from_ns(double ns) {
  return Duration{static_cast<std::int64_t>(std::min(ns, as_ns(kLongest)))};
}

/// What a restart costs it, as far as its trace says.
double restart_ns(const Workload& jobs, JobId j) {
  return as_ns(std::max(Workload::at_or(jobs.restart_cost, j, kUnknown), Duration{}));
}

}  // namespace

Duration mttf_of_node(const OutagePlan::Failures& f, std::uint32_t gpus) {
  return from_ns(kThousandDays / (f.rate + f.gpu_rate * gpus));
}

namespace {

/// GPUs of the widest node.
std::uint32_t widest(const Fleet& fleet) {
  std::uint32_t most = 1;
  for (const Fleet::Pool& pool : fleet.pools)
    most = std::max(most, pool.widest / pool.bits_per_gpu());
  return most;
}

}  // namespace

std::uint32_t nodes_of_job(const Fleet& fleet, const Workload& jobs, JobId j) {
  const Shape& s = jobs.shapes[jobs.shape[j]];
  if (s.nodes > 0) return s.nodes;
  return s.mig != 0 ? 1 : (s.gpus + widest(fleet) - 1) / widest(fleet);
}

Duration mttf_of_job(const OutagePlan::Failures& f, const Fleet& fleet, const Workload& jobs,
                     JobId j) {
  return mttf_of_node(f, widest(fleet)) / nodes_of_job(fleet, jobs, j);
}

Duration young_interval(Duration cost, Duration mttf) {
  return from_ns(std::sqrt(2 * as_ns(cost) * as_ns(mttf)));
}

Duration daly_interval(Duration cost, Duration mttf) {
  const double x = as_ns(cost) / (2 * as_ns(mttf));
  if (x >= 1) return mttf;
  const double first = std::sqrt(2 * as_ns(cost) * as_ns(mttf));
  return std::max(from_ns(first * (1 + std::sqrt(x) / 3 + x / 9) - as_ns(cost)), Duration{1});
}

double expected_ettr(const OutagePlan::Failures& f, const Fleet& fleet, const Workload& jobs) {
  double work = 0, time = 0;
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    const JobId j{i};
    const double own = as_ns(jobs.truth.duration[j]);
    const Duration said = Workload::at_or(jobs.checkpoint_interval, j, kUnknown);
    const double interval = said > Duration{} ? std::min(as_ns(said), own) : own;
    const double cost =
        said > Duration{}
            ? as_ns(std::max(Workload::at_or(jobs.checkpoint_cost, j, kUnknown), Duration{}))
            : 0;
    const double failures = 1 / as_ns(mttf_of_job(f, fleet, jobs, j));
    const double share = (1 - failures * (restart_ns(jobs, j) + interval / 2)) /
                         (1 + cost / std::max(interval, 1.0));
    if (share <= 0) return 0;
    const double gpus = std::max(jobs.shapes[jobs.shape[j]].gpus, 1U);
    work += gpus * own;
    time += gpus * own / share;
  }
  return time > 0 ? work / time : 1;
}

}  // namespace muster
