#include "muster/workload/curves.hpp"

#include <algorithm>

#include "muster/core/check.hpp"

namespace muster {

double Curve::at(std::uint32_t gpus) const {
  const auto above = std::lower_bound(points.begin(), points.end(), gpus,
                                      [](const auto& p, std::uint32_t g) { return p.first < g; });
  if (above == points.end()) return points.back().second;
  if (above == points.begin() || above->first == gpus) return above->second;
  const auto& [g0, s0] = *(above - 1);
  const auto& [g1, s1] = *above;
  return s0 + (s1 - s0) * (gpus - g0) / (g1 - g0);
}

void Curves::add(std::uint32_t nodes, std::uint32_t gpus, double steps_per_s) {
  auto at = std::find_if(curves_.begin(), curves_.end(),
                         [&](const Curve& c) { return c.nodes >= nodes; });
  if (at == curves_.end() || at->nodes != nodes) at = curves_.insert(at, {nodes, {}});
  MUSTER_CHECK(at->points.empty() || at->points.back().first < gpus);
  at->points.emplace_back(gpus, steps_per_s);
}

std::uint32_t Curves::least_gpus() const {
  std::uint32_t least = UINT32_MAX;
  for (const Curve& c : curves_) least = std::min(least, c.points.front().first);
  return least;
}

std::uint32_t Curves::most_gpus() const {
  std::uint32_t most = 0;
  for (const Curve& c : curves_) most = std::max(most, c.points.back().first);
  return most;
}

double Curves::steps_per_s(std::uint32_t gpus, std::uint32_t nodes) const {
  gpus = std::min(gpus, most_gpus());
  const Curve *below = nullptr, *above = nullptr;
  for (const Curve& c : curves_) {
    if (!c.covers(gpus)) continue;
    if (c.nodes <= nodes) below = &c;
    if (c.nodes >= nodes && above == nullptr) above = &c;
  }
  if (below == nullptr || below == above) return above->at(gpus);
  if (above == nullptr) return below->at(gpus);
  const double low = below->at(gpus), high = above->at(gpus);
  return low + (high - low) * (nodes - below->nodes) / (above->nodes - below->nodes);
}

}  // namespace muster
