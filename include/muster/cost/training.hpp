#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "muster/cost/calibration.hpp"
#include "muster/cost/mapping.hpp"
#include "muster/cost/model.hpp"
#include "muster/cost/step.hpp"

namespace muster {

/// What a job trains, and how.
struct Training {
  ModelSpec model;
  /// On so many GPUs; nothing if the plan is not for as many.
  std::function<std::optional<ParallelPlan>(std::uint32_t gpus)> plan;
};

/// What the jobs of a run train. Never changes in it.
struct Trainings {
  Calibration calibration;
  Ablation ablation;
  std::shared_ptr<const Mapping> mapping;
  std::map<std::string, Training, std::less<>> by_model;  // as the trace calls it
};

}  // namespace muster
