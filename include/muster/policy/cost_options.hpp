#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "muster/policy/params.hpp"

namespace muster {

struct Trainings;

/// What a run is told about the cost of placements. JSON: /cost/...
struct CostOptions {
  enum class Demand : std::uint8_t { mean, steady };
  enum class Pattern : std::uint8_t { ring, all_to_all };

  bool contention = false;                     // jobs share the links between their nodes
  double communication = 0;                    // of their time, for jobs whose model is not listed
  std::map<std::string, std::int64_t> models;  // of the time of jobs of that model, in per cent
  std::map<std::string, std::string> steps;    // what jobs of that model train: "MODEL:PLAN"
  bool named = false;                          // the trace's models are such themselves
  Demand demand = Demand::mean;
  Pattern pattern = Pattern::ring;
  double efficiency = 1;  // of what a link is built for that its flows can have
  bool overlap = true;    // computation hides communication
  std::string calibration;
  std::string mapping = "tp_innermost";
  /// What `steps` and `named` come to on the jobs of a run; null: nothing. Made beside the options.
  std::shared_ptr<const Trainings> trainings;

  /// Some job communicates, or has a step.
  bool of_use() const {
    return communication > 0 || !models.empty() || !steps.empty() || named || trainings;
  }
  void walk(ParamVisitor& visit);
};

}  // namespace muster
