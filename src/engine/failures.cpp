// Failures that are drawn: how long things live, and how long it takes to repair them.

#include <cmath>

#include "engine.hpp"
#include "muster/core/detmath.hpp"
#include "muster/core/random.hpp"
#include "muster/engine/failure_laws.hpp"

namespace muster {
namespace {

using Failures = OutagePlan::Failures;
using Law = FailureProcess::Law;
using Repair = FailureProcess::Repair;

/// The n-th number of a thing's own part of a stream, whatever else is drawn.
Stream at(const Failures& f, const std::string& purpose, const Availability::Thing& t) {
  Stream stream(f.seed, purpose);
  stream.seek(std::uint64_t{t.number} << 32 | t.failures);
  return stream;
}

Duration whole(double ns) {
  const double most = static_cast<double>(kLongest.count());
  return Duration{static_cast<std::int64_t>(std::fmin(std::fmax(ns, 1.0), most))};
}

/// Gamma(x) for x >= 1 by Stirling's series, shifted up to where seven of its terms are exact to the last digits:
/// the mean of Weibull's law is scale x Gamma(1 + 1/shape).
double gamma(double x) {
  double product = 1;
  for (; x < 12; ++x) product *= x;
  const double z = 1 / (x * x);
  const double series =
      1 / x * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188)))));
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  return detmath::exp((x - 0.5) * detmath::log(x) - x + kHalfLogTwoPi + series) / product;
}

}  // namespace

/// Everything that may fail, each with its first life.
void Engine::list_things() {
  const Failures& f = availability_->plan.failures;
  std::vector<Availability::Thing>& things = availability_->things;
  for (std::uint32_t p = 0; p < f.processes.size(); ++p) {
    const FailureProcess& process = f.processes[p];
    std::uint32_t number = 0;
    if (process.of_domains())
      for (const NodeRange& d : fleet_.domains[static_cast<std::size_t>(level_of(process.scope))])
        things.push_back({p, number++, NodeId{d.first}});
    else
      for (std::uint32_t n = 0; n < fleet_.nodes.size(); ++n)
        for (std::uint32_t left = things_on(process, fleet_, NodeId{n}); left > 0; --left)
          things.push_back({p, number++, NodeId{n}});
  }
  for (std::uint32_t i = 0; i < things.size(); ++i) draw_failure(i);
}

/// What it takes down.
std::vector<NodeId> Engine::nodes_of(const Availability::Thing& t) const {
  const FailureProcess& process = availability_->plan.failures.processes[t.process];
  if (!process.of_domains()) return {t.node};
  const auto level = static_cast<std::size_t>(level_of(process.scope));
  const NodeRange d = fleet_.domains[level][t.number];
  std::vector<NodeId> nodes;
  for (std::uint32_t n = d.first; n < d.last; ++n) nodes.push_back(NodeId{n});
  return nodes;
}

/// Lives are counted from when it is back.
void Engine::draw_failure(std::uint32_t thing) {
  const Failures& f = availability_->plan.failures;
  const Availability::Thing& t = availability_->things[thing];
  const FailureProcess& process = f.processes[t.process];
  Stream stream = at(f, process.name + " failures", t);
  const double mean = mean_life(f, process, fleet_, t.node);
  const double shape = process.shape;
  double life = 0;
  switch (process.law) {
    case Law::exponential:
      life = stream.exponential(mean);
      break;
    case Law::weibull:
      life = mean / gamma(1 + 1 / shape) *
             detmath::pow(-detmath::log(1 - stream.uniform()), 1 / shape);
      break;
    case Law::lognormal:
      life = stream.lognormal(detmath::log(mean) - shape * shape / 2, shape);
      break;
  }
  queue_.push(outage_at(later(now_, whole(life)), thing, kDrawn, EventKind::away));
}

Duration Engine::draw_repair(const Availability::Thing& t) const {
  const Failures& f = availability_->plan.failures;
  const FailureProcess& process = f.processes[t.process];
  Stream stream = at(f, process.name + " repairs", t);
  const auto typical = static_cast<double>(process.repair_time.count());
  switch (process.repair) {
    case Repair::fixed:
      return process.repair_time;
    case Repair::exponential:
      return whole(stream.exponential(typical));
    case Repair::lognormal:
      break;
  }
  return whole(stream.lognormal(detmath::log(typical), process.repair_sigma));
}

void Engine::fail(std::uint32_t thing) {
  Availability::Thing& t = availability_->things[thing];
  if (switched_off(t)) return;
  const Duration repair = draw_repair(t);
  ++t.failures;
  t.window = leave(Window::Kind::down, now_, kNever, nodes_of(t), 0, t.process,
                   repair == Duration{} ? Manner::back_at_once : Manner::taken);
  queue_.push(outage_at(later(now_, repair), thing, kDrawn, EventKind::back));
  if (!availability_->plan.failures.processes[t.process].of_domains()) note_failure(t.node);
}

void Engine::repaired(std::uint32_t thing) {
  const Availability::Thing& t = availability_->things[thing];
  come_back(Window::Kind::down, nodes_of(t), t.window);
  draw_failure(thing);
}

}  // namespace muster
