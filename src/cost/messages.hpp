#pragma once
#include "muster/cost/model.hpp"

namespace muster {

/// Sizes of what ranks send each other in one micro-batch and layer, as nccl-tests counts them, and how often.
/// Activations and weights on the wire are 16 bits wide.
inline constexpr double kBytesOfHalf = 2;

/// Tokens of a micro-batch on one rank.
inline double tokens_of(const ModelSpec& m, const ParallelPlan& p) {
  return p.micro_batch * m.sequence / p.cp;
}

/// Activations, all-reduced: twice forward, twice backward, twice more where they are computed twice.
inline double tensor_bytes(const ModelSpec& m, double tokens) {
  return kBytesOfHalf * tokens * m.hidden;
}
inline double tensor_calls(const ParallelPlan& p) { return p.recompute == Recompute::full ? 6 : 4; }

/// Keys and values, gathered once forward and, with their gradients, twice backward.
inline double context_bytes(const ModelSpec& m, const ParallelPlan& p, double tokens) {
  const double width = m.key_heads() * m.head_width() / p.tp;
  return 2 * kBytesOfHalf * tokens * p.cp * width;
}
inline constexpr double kContextCalls = 3;

/// Tokens to their experts and back, forward and backward.
inline double expert_bytes(const ModelSpec& m, const ParallelPlan& p, double tokens) {
  return kBytesOfHalf * tokens * m.hidden * m.active_experts / (p.sequence_parallel ? p.tp : 1);
}
inline double expert_calls(const ParallelPlan& p) { return p.recompute == Recompute::full ? 6 : 4; }

/// Activations to the next stage, their gradients back; each tensor-parallel rank sends its part. Per micro-batch.
inline double pipeline_bytes(const ModelSpec& m, const ParallelPlan& p, double tokens) {
  return kBytesOfHalf * tokens * m.hidden / p.tp;
}
inline double pipeline_calls(const ParallelPlan& p) { return 2 * p.virtual_stages; }

}  // namespace muster
