#pragma once
#include "muster/policy/contention.hpp"

namespace muster {

/// Jobs with shares of one GPU.
std::unique_ptr<Contention> shared_gpus(const Workload& w, double interference);
/// Jobs of several nodes, on the links between these, and jobs whose steps are known.
std::unique_ptr<Contention> network_contention(const Workload& w, const Fleet& fleet,
                                               const CostOptions& cost,
                                               std::shared_ptr<JobSteps> steps);

}  // namespace muster
