#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "muster/policy/params.hpp"

namespace muster {

/// What a run is told about the cost of placements. JSON: /cost/...
struct CostOptions {
  enum class Demand : std::uint8_t { mean, steady };
  enum class Pattern : std::uint8_t { ring, all_to_all };

  bool contention = false;                     // jobs share the links between their nodes
  double communication = 0;                    // of their time, for jobs whose model is not listed
  std::map<std::string, std::int64_t> models;  // of the time of jobs of that model, in per cent
  Demand demand = Demand::mean;
  Pattern pattern = Pattern::ring;
  double efficiency = 1;  // of what a link is built for that its flows can have

  void walk(ParamVisitor& visit);
};

}  // namespace muster
