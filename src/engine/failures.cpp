// Failures that are drawn: how long a node lives, and how long it takes to repair it.

#include <cmath>

#include "engine.hpp"
#include "muster/core/detmath.hpp"
#include "muster/core/random.hpp"
#include "muster/engine/failure_laws.hpp"

namespace muster {
namespace {

using Failures = OutagePlan::Failures;

/// The n-th number of a node's own part of a stream, whatever else is drawn.
Stream at(const Failures& f, const char* purpose, NodeId n, std::uint32_t nth) {
  Stream stream(f.seed, purpose);
  stream.seek(std::uint64_t{n.value} << 32 | nth);
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

/// Lives are counted from when the node is back.
void Engine::draw_failure(NodeId n) {
  const Failures& f = availability_->plan.failures;
  Stream stream = at(f, "node failures", n, availability_->nodes[n].failures);
  const auto mean = static_cast<double>(mttf_of_node(f, fleet_.gpus_of(n)).count());
  double life = 0;
  switch (f.law) {
    case Failures::Law::none:
      return;
    case Failures::Law::exponential:
      life = stream.exponential(mean);
      break;
    case Failures::Law::weibull:
      life = mean / gamma(1 + 1 / f.shape) *
             detmath::pow(-detmath::log(1 - stream.uniform()), 1 / f.shape);
      break;
    case Failures::Law::lognormal:
      life = stream.lognormal(detmath::log(mean) - f.shape * f.shape / 2, f.shape);
      break;
  }
  queue_.push(outage_at(later(now_, whole(life)), n.value, kDrawn, EventKind::away));
}

Duration Engine::draw_repair(NodeId n) {
  const Failures& f = availability_->plan.failures;
  Stream stream = at(f, "node repairs", n, availability_->nodes[n].failures);
  const auto typical = static_cast<double>(f.repair_time.count());
  switch (f.repair) {
    case Failures::Repair::fixed:
      return f.repair_time;
    case Failures::Repair::exponential:
      return whole(stream.exponential(typical));
    case Failures::Repair::lognormal:
      break;
  }
  return whole(stream.lognormal(detmath::log(typical), f.repair_sigma));
}

void Engine::fail(NodeId n) {
  Availability::Node& node = availability_->nodes[n];
  const Duration repair = draw_repair(n);
  ++node.failures;
  node.window = leave(Window::Kind::down, now_, kNever, {n}, 0);
  queue_.push(outage_at(later(now_, repair), n.value, kDrawn, EventKind::back));
}

void Engine::repaired(NodeId n) {
  come_back(Window::Kind::down, {n}, availability_->nodes[n].window);
  draw_failure(n);
}

}  // namespace muster
