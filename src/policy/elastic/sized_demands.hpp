#pragma once
#include <map>
#include <utility>

#include "muster/policy/policy.hpp"

namespace muster::elastic {

/// What elastic jobs ask for at other sizes than the one in the trace, resolved once for each.
class SizedDemands {
 public:
  explicit SizedDemands(const Cutting& cutting) : cutting_(cutting) {}

  const Demand& of(const View& view, JobId j, std::uint32_t gpus) {
    const ShapeId s = view.jobs.shape(j);
    const Shape& asks = view.jobs.asks(j);
    if (gpus == asks.gpus || !view.jobs.sizes(j).elastic()) return view.demands[s];
    const auto [at, fresh] = demands_.try_emplace({s, gpus});
    if (fresh) {
      Shape shape = asks;
      shape.gpus = gpus;
      at->second = resolve(shape, view.jobs.names(), view.fleet, cutting_);
    }
    return at->second;
  }

 private:
  Cutting cutting_;
  std::map<std::pair<ShapeId, std::uint32_t>, Demand> demands_;
};

}  // namespace muster::elastic
