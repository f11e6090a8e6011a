#pragma once
#include <cstdint>

#include "muster/policy/params.hpp"

namespace muster {

/// What a run is told about the cost of placements. JSON: /cost/...
struct CostOptions {
  enum class Demand : std::uint8_t { mean, steady };
  enum class Pattern : std::uint8_t { ring, all_to_all };

  bool contention = false;   // jobs share the links between their nodes
  double communication = 0;  // of their time, for jobs without a model
  Demand demand = Demand::mean;
  Pattern pattern = Pattern::ring;
  double efficiency = 1;  // of what a link is built for that its flows can have

  void walk(ParamVisitor& visit);
};

}  // namespace muster
