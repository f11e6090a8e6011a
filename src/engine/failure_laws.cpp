#include "muster/engine/failure_laws.hpp"

#include <algorithm>
#include <cmath>

#include "muster/topology/wiring.hpp"

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

namespace {

using Scope = FailureProcess::Scope;

/// GPUs of the widest node.
std::uint32_t widest(const Fleet& fleet) {
  std::uint32_t most = 1;
  for (const Fleet::Pool& pool : fleet.pools)
    most = std::max(most, pool.widest / pool.bits_per_gpu());
  return most;
}

NodeId widest_node(const Fleet& fleet) {
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
    if (fleet.gpus_of(NodeId{n}) == widest(fleet)) return NodeId{n};
  return NodeId{0};
}

/// Failures per 1000 days of one thing of a process, were no node a lemon.
double rate_of_one(const FailureProcess& p, const Fleet& fleet, NodeId node) {
  return p.rate + (p.scope == Scope::node ? p.gpu_rate * fleet.gpus_of(node) : 0);
}

/// How many times as often the node's own things fail.
double lemon_factor(const OutagePlan::Failures& f, const FailureProcess& p, NodeId node) {
  const bool lemon = !p.of_domains() && std::binary_search(f.lemons.begin(), f.lemons.end(), node);
  return lemon ? f.lemon_factor : 1;
}

}  // namespace

Level level_of(FailureProcess::Scope scope) {
  switch (scope) {
    case Scope::nvlink:
      return Level::nvlink;
    case Scope::leaf:
      return Level::leaf;
    case Scope::pod:
      return Level::pod;
    case Scope::node:
    case Scope::gpu:
    case Scope::nic:
    case Scope::link:
      break;
  }
  return Level::node;
}

std::uint32_t things_on(const FailureProcess& p, const Fleet& fleet, NodeId node) {
  if (p.scope == Scope::gpu) return fleet.gpus_of(node);
  if (p.scope == Scope::nic || p.scope == Scope::link) return fleet.wiring(node).nics;
  return 1;
}

double mean_life(const OutagePlan::Failures& f, const FailureProcess& p, const Fleet& fleet,
                 NodeId node) {
  return std::floor(kThousandDays / (rate_of_one(p, fleet, node) * lemon_factor(f, p, node)));
}

Duration mttf_of_node(const OutagePlan::Failures& f, const Fleet& fleet, NodeId node) {
  double rate = 0;
  for (const FailureProcess& p : f.processes)
    rate += rate_of_one(p, fleet, node) * things_on(p, fleet, node) * lemon_factor(f, p, node);
  return from_ns(kThousandDays / rate);
}

std::uint32_t nodes_of_job(const Fleet& fleet, const Workload& jobs, JobId j) {
  const Shape& s = jobs.shapes[jobs.shape[j]];
  if (s.nodes > 0) return s.nodes;
  return s.mig != 0 ? 1 : (s.gpus + widest(fleet) - 1) / widest(fleet);
}

Duration mttf_of_job(const OutagePlan::Failures& f, const Fleet& fleet, const Workload& jobs,
                     JobId j) {
  const NodeId node = widest_node(fleet);
  const std::uint32_t nodes = nodes_of_job(fleet, jobs, j);
  const double lemons =
      static_cast<double>(f.lemons.size()) / static_cast<double>(fleet.nodes.size());
  double rate = 0;
  for (const FailureProcess& p : f.processes) {
    double things =
        std::max(nodes, 1U) * things_on(p, fleet, node) * (1 + lemons * (f.lemon_factor - 1));
    if (p.of_domains()) {
      const auto domains = fleet.domains[static_cast<std::size_t>(level_of(p.scope))].size();
      things =
          std::ceil(nodes * static_cast<double>(domains) / static_cast<double>(fleet.nodes.size()));
    }
    rate += rate_of_one(p, fleet, node) * things;
  }
  return from_ns(kThousandDays / rate);
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

double expected_ettr(const OutagePlan& plan, const Fleet& fleet, const Workload& jobs) {
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
    const double write =
        said > Duration{} ? as_ns(Workload::at_or(plan.write_time, j, Duration{})) : 0;
    const double failures = 1 / as_ns(mttf_of_job(plan.failures, fleet, jobs, j));
    const double share = (1 - failures * (restart_ns(jobs, j) + interval / 2 + write)) /
                         (1 + cost / std::max(interval, 1.0));
    if (share <= 0) return 0;
    const double gpus = std::max(jobs.shapes[jobs.shape[j]].gpus, 1U);
    work += gpus * own;
    time += gpus * own / share;
  }
  return time > 0 ? work / time : 1;
}

}  // namespace muster
