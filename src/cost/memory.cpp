// What a plan keeps in the memory of a GPU.

#include <algorithm>

#include "muster/cost/memory.hpp"

namespace muster {
namespace {

// Bytes per parameter of mixed-precision Adam (Rajbhandari et al., SC20): 16-bit weights; master weights and
// two moments in 32 bits.
constexpr double kWeight = 2, kAdam = 12;

/// Of the fullest stage: the one with an embedding.
double dense_parameters(const ParameterCount& count, const ModelSpec& model,
                        const ParallelPlan& plan) {
  const double embedding = plan.pp > 1 && !model.tied ? count.embedding / 2 : count.embedding;
  return (count.dense - count.embedding) / (plan.tp * plan.pp) + embedding / plan.tp;
}

/// Bytes that one layer keeps of one micro-batch for its backward pass (Korthikanti et al. 2022, equations 1
/// to 4 and section 5): 34 s b h and 5 a s^2 b, ten of the 34 split by tensor parallelism only together with
/// the sequence.
double layer_activations(const ModelSpec& model, const ParallelPlan& plan) {
  const double tokens = plan.micro_batch * model.sequence / plan.cp;
  const double tp = plan.tp;
  const double input = 2 * tokens * model.hidden / (plan.sequence_parallel ? tp : 1);
  if (plan.recompute == Recompute::full) return input;
  const double whole = 10 * tokens * model.hidden / (plan.sequence_parallel ? tp : 1);
  const double split = 24 * tokens * model.hidden / tp;
  const bool scores = !plan.flash && plan.recompute == Recompute::none;
  return whole + split + (scores ? 5 * model.heads * model.sequence * tokens / tp : 0);
}

}  // namespace

StepMemory step_memory(const ModelSpec& model, const ParallelPlan& plan) {
  const ParameterCount count = count_parameters(model);
  const double dense = dense_parameters(count, model, plan);
  const double expert = count.expert / (plan.tp * plan.pp * plan.ep);
  // ZeRO spreads over the replicas what they need not all have.
  const auto spread = [&](std::uint32_t from) {
    if (plan.zero < from) return dense + expert;
    const std::uint32_t copies = plan.dp / plan.ep;  // of each expert
    return dense / (plan.dp * plan.cp) + expert / copies;
  };
  StepMemory m;
  m.weights = kWeight * spread(3);
  m.gradients = plan.gradient_bytes * spread(2);
  m.optimiser = kAdam * spread(1);
  if (!model.is_transformer()) return m;
  // The first stage keeps as many micro-batches as there are stages; with interleaving some more.
  const double in_flight = std::min<double>(plan.micro_batches(), plan.pp);
  const double more =
      plan.virtual_stages > 1 ? 1 + (plan.pp - 1.0) / (plan.pp * plan.virtual_stages) : 1;
  m.activations = layer_activations(model, plan) * model.layers / plan.pp * in_flight * more;
  return m;
}

}  // namespace muster
