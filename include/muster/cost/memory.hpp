#pragma once
#include "muster/cost/model.hpp"

namespace muster {

/// Bytes that a plan keeps on one GPU, of the stage that keeps most. Buffers of libraries, fragmentation and
/// what communication needs are not in it, so that a plan that just fits may not.
struct StepMemory {
  double weights = 0;
  double gradients = 0;
  double optimiser = 0;
  double activations = 0;  // of a transformer; of other models it isn't known
  double total() const { return weights + gradients + optimiser + activations; }
};
StepMemory step_memory(const ModelSpec& model, const ParallelPlan& plan);

}  // namespace muster
