#include "muster/cost/model.hpp"

namespace muster {

ParameterCount count_parameters(const ModelSpec& model) {
  ParameterCount count;
  if (!model.is_transformer()) {
    count.dense = count.active = model.parameters;
    return count;
  }
  const double h = model.hidden;
  const double matrices = model.gated ? 3 : 2;
  count.attention = 2 * h * model.head_width() * (model.heads + model.key_heads());
  const bool moe = model.experts > 0;
  const double expert = matrices * h * model.ffn_hidden;
  count.ffn = moe ? matrices * h * model.dense_hidden : expert;
  count.shared = expert * model.shared_experts;
  count.experts = expert * model.experts;
  count.moe_layers = moe ? model.layers - model.dense_layers : 0;
  const double dense_layers = model.layers - count.moe_layers;
  count.embedding = model.vocab * h * (model.tied ? 1 : 2);
  const double everywhere =
      model.layers * count.attention + dense_layers * count.ffn + count.moe_layers * count.shared;
  count.dense = everywhere + count.embedding;
  count.expert = count.moe_layers * count.experts;
  count.routed = count.moe_layers * expert * model.active_experts;
  count.active = everywhere + count.routed;
  return count;
}

double model_flops(const ModelSpec& model, double batch) {
  if (!model.is_transformer()) return 3 * model.forward_gflops * 1e9 * batch;
  const double tokens = batch * model.sequence;
  // 2 per parameter and token forward, twice that backward; scores and their product with the values.
  return 6 * tokens * (count_parameters(model).active + model.vocab * model.hidden) +
         12 * tokens * model.layers * model.sequence * model.score_width();
}

double hardware_flops(const ModelSpec& model, double batch, Recompute recompute) {
  const double flops = model_flops(model, batch);
  if (!model.is_transformer() || recompute == Recompute::none) return flops;
  const double tokens = batch * model.sequence;
  const double scores = 4 * tokens * model.layers * model.sequence * model.score_width();
  if (recompute == Recompute::selective) return flops + scores;
  return flops + 2 * tokens * count_parameters(model).active + scores;
}

}  // namespace muster
