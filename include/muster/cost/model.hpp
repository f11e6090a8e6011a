#pragma once
#include <cstdint>
#include <string>

namespace muster {

/// A model that is trained, as far as the time of its steps depends on it. Either a transformer, whose
/// FLOPs and parameters follow from its shape, or (layers 0) any other with these two given.
struct ModelSpec {
  std::string name;
  std::string source;
  double layers = 0;
  double hidden = 0;
  double heads = 0;
  double head_dim = 0;    // hidden / heads unless stated
  double kv_heads = 0;    // of grouped-query attention; otherwise as many as heads
  double ffn_hidden = 0;  // of one expert, where there are experts
  bool gated = false;     // SwiGLU: three matrices instead of two
  double vocab = 0;
  double sequence = 0;
  bool tied = true;           // input and output embedding are one matrix
  double experts = 0;         // 0: dense
  double active_experts = 0;  // that a token passes through
  double shared_experts = 0;
  double dense_layers = 0;  // of the layers, how many have one feed-forward of dense_hidden instead
  double dense_hidden = 0;
  double parameters = 0;  // of a transformer: as published, and not used
  // Not a transformer.
  double forward_gflops = 0;  // of one sample
  double efficiency = 1;      // of its kernels, over that of a transformer's products
  double sample_kbytes = 0;   // read from storage per sample; 0: not worth mentioning

  bool is_transformer() const { return layers > 0; }
  double head_width() const { return head_dim > 0 ? head_dim : hidden / heads; }
  double key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
  double score_width() const { return heads * head_width(); }
};

/// Parameters by what may be split. A transformer's, or all of another model's in `dense`.
struct ParameterCount {
  double attention = 0;   // of one layer
  double ffn = 0;         // of one dense layer
  double experts = 0;     // of one layer with experts: those a token does not share
  double shared = 0;      // of it, those that all tokens pass through
  double moe_layers = 0;  // how many layers have experts
  double embedding = 0;   // in all
  double dense = 0;       // in all that are in every replica
  double expert = 0;      // in all that expert parallelism spreads
  double active = 0;      // that one token passes through, embeddings left out
  double routed = 0;      // of those, in experts
  double all() const { return dense + expert; }
};
ParameterCount count_parameters(const ModelSpec& model);

enum class Recompute : std::uint8_t { none, selective, full };
enum class Precision : std::uint8_t { bf16, fp8 };

/// How the work of a model is spread over GPUs, and what the training stack does.
struct ParallelPlan {
  std::uint32_t tp = 1, pp = 1, dp = 1, cp = 1;
  std::uint32_t ep = 1;  // within data parallel replicas
  std::uint32_t zero = 0;
  double global_batch = 0;
  double micro_batch = 1;
  std::uint32_t virtual_stages = 1;
  Recompute recompute = Recompute::none;
  Precision precision = Precision::bf16;
  bool sequence_parallel = false;
  bool flash = true;        // attention scores stay on chip, and masked ones are left out
  bool overlap_tp = false;  // tensor-parallel communication beside the products it feeds
  bool overlap_dp = true;
  double gradient_bytes = 4;  // of one gradient on the wire

  std::uint32_t gpus() const { return tp * pp * dp * cp; }
  double micro_batches() const { return global_batch / (dp * micro_batch); }
};

/// FLOPs of one step on all GPUs together: of the model (forward and backward), as MFU counts them,
/// and with what is done twice. Narayanan et al., SC21, appendix: 72 B s l h^2 (1 + s/(6h) + V/(12 l h))
/// and 96 instead of 72 with full recomputation.
double model_flops(const ModelSpec& model, double batch);
double hardware_flops(const ModelSpec& model, double batch, Recompute recompute);

}  // namespace muster
