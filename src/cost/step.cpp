#include "muster/cost/step.hpp"

#include <algorithm>
#include <cmath>

#include "cost/messages.hpp"
#include "muster/core/check.hpp"
#include "muster/core/detmath.hpp"

namespace muster {
namespace {

/// The speed of the slowest GPU of a placement.
struct Machine {
  double products = 0;  // FLOP per us, of matrix products in the precision of the plan
  double experts = 1;   // of that, in experts
  double scores = 0;    // the same in 16 bits
  double memory = 0;    // kB per us
  double passes = 1;
  double layer_us = 0;
};

Machine slowest(const Calibration& c, const PlacedPlan& placed, Precision precision) {
  Machine slow;
  slow.experts = c.step.expert_efficiency;
  const auto limit = [](double& value, double other) {
    if (value == 0 || other < value) value = other;
  };
  for (const std::size_t index : placed.gpus) {
    const GpuSpec& gpu = c.gpus[index];
    const GpuCompute* compute = c.compute_of(gpu.compute);
    MUSTER_CHECK(compute);  // io sees to it
    const double share = c.step.gemm_share;
    const double bf16 = gpu.gemm_bf16_tflops > 0 ? gpu.gemm_bf16_tflops : share * gpu.bf16_tflops;
    const double fp8 = gpu.gemm_fp8_tflops > 0 ? gpu.gemm_fp8_tflops : share * gpu.fp8_tflops;
    const bool eight = precision == Precision::fp8 && fp8 > 0;
    limit(slow.scores, bf16 * compute->gemm_efficiency * 1e6);
    limit(slow.products,
          (eight ? fp8 * compute->fp8_efficiency : bf16 * compute->gemm_efficiency) * 1e6);
    limit(slow.memory, gpu.hbm_gbytes_per_s * c.step.hbm_efficiency);
    slow.passes = std::max(slow.passes, compute->memory_passes);
    slow.layer_us = std::max(slow.layer_us, compute->layer_us);
  }
  return slow;
}

double slowest_us(const Calibration& calibration, const std::vector<GpuGroup>& groups,
                  Collective op, double bytes) {
  double us = 0;
  for (const GpuGroup& group : groups)
    us = std::max(us, collective_time(calibration, group, op, bytes).us());
  return us;
}

/// Computation of one layer and micro-batch on one GPU, us.
struct Layer {
  double forward = 0;   // all of it
  double products = 0;  // forward, of it
  double scores = 0;    // forward: attention scores, their traffic included
  double total = 0;     // forward, backward and what is done twice
};

Layer layer_of(const ModelSpec& m, const ParallelPlan& plan, const Machine& machine) {
  const ParameterCount count = count_parameters(m);
  const double tokens = tokens_of(m, plan);
  const double tp = plan.tp;
  const double mean_active = count.active / m.layers;
  const double matrices = m.gated ? 3 : 2;
  const double ffn_active = (mean_active - count.attention) / (matrices * m.hidden);
  const auto traffic = [&](double bytes) { return bytes * machine.passes * 1e-3 / machine.memory; };
  Layer layer;
  const double in_experts = count.routed / m.layers;
  layer.products = 2 * tokens * (mean_active - in_experts + in_experts / machine.experts) / tp /
                   machine.products;
  const double score_flops =
      4 * tokens * m.sequence * m.score_width() * (plan.flash ? 0.5 : 1) / tp;
  const double score_bytes = plan.flash ? 0 : 5 * m.heads * m.sequence * tokens / tp;
  layer.scores = score_flops / machine.scores + traffic(score_bytes);
  // Korthikanti et al. 2022: a layer keeps 34 s b h bytes, ten of which tensor parallelism splits only
  // together with the sequence, and 5 a s^2 b of scores.
  const double whole = 10 * tokens * m.hidden / (plan.sequence_parallel ? tp : 1);
  const double split = (8 * m.hidden + 4 * ffn_active) * tokens / tp;
  layer.forward = layer.products + layer.scores + traffic(whole + split);
  layer.total = 3 * layer.forward;
  if (plan.recompute == Recompute::full) layer.total += layer.forward;
  if (plan.recompute == Recompute::selective) layer.total += layer.scores;
  const double passes = plan.recompute == Recompute::full ? 4 : 3;
  layer.total = std::max(layer.total, passes * machine.layer_us);
  return layer;
}

class Step {
 public:
  Step(const Calibration& calibration, const PlacedPlan& placed, const ModelSpec& model,
       const ParallelPlan& plan, const Ablation& ablation)
      : calibration_(calibration),
        placed_(placed),
        model_(model),
        plan_(plan),
        ablation_(ablation),
        machine_(slowest(calibration, placed, plan.precision)),
        count_(count_parameters(model)) {}

  StepTime time() {
    out_.micro_batches = plan_.micro_batches();
    if (model_.is_transformer())
      transformer();
    else
      out_.stage_us = 3 * model_.forward_gflops * 1e9 * plan_.micro_batch /
                      (machine_.products * model_.efficiency);
    out_[StepPart::compute] += out_.stage_us * out_.micro_batches;
    replicas();
    optimiser();
    input_and_stragglers();
    return out_;
  }

 private:
  double gamma() const { return ablation_.overlap ? calibration_.step.overlap_gamma : 1; }

  void transformer() {
    const Layer layer = layer_of(model_, plan_, machine_);
    const double v = plan_.virtual_stages;
    const double layers = std::ceil(model_.layers / (plan_.pp * v)) * v;  // of the fullest stage
    const double m = out_.micro_batches;
    const double tokens = tokens_of(model_, plan_);
    const double logits = 6 * tokens * model_.hidden * model_.vocab / plan_.tp / machine_.products;
    out_.stage_us = layer.total * layers + (plan_.pp == 1 ? logits : 0);
    if (plan_.pp > 1) out_[StepPart::compute] += logits * m;  // the last stage, after its layers

    layers_ = layers;
    const double tp = tensor_us(tokens, layer) * layers;
    const double cp = context_us(tokens, layer) * layers;
    const double ep = expert_us(tokens) * layers * count_.moe_layers / model_.layers;
    const double pp = pipeline_us(tokens);
    out_[StepPart::tp] = tp * m;
    out_[StepPart::cp] = cp * m;
    out_[StepPart::ep] = ep * m;
    out_[StepPart::pp] = pp * m;
    out_[StepPart::bubble] = (out_.stage_us + tp + cp + ep + pp) * (plan_.pp - 1) / v;
  }

  /// With sequence parallelism each all-reduce is a reduce-scatter and an all-gather.
  double tensor_us(double tokens, const Layer& layer) {
    if (plan_.tp == 1) return 0;
    const double bytes = tensor_bytes(model_, tokens);
    const double once = plan_.sequence_parallel
                            ? us(placed_.tp, Collective::reduce_scatter, bytes) +
                                  us(placed_.tp, Collective::all_gather, bytes)
                            : us(placed_.tp, Collective::all_reduce, bytes);
    const double all = once * tensor_calls(plan_);
    add_communication(Axis::tp, all * layers_);
    return plan_.overlap_tp ? exposed(all, 3 * layer.products, gamma()) : all;
  }

  /// Beside the scores.
  double context_us(double tokens, const Layer& layer) {
    if (plan_.cp == 1) return 0;
    const double bytes = context_bytes(model_, plan_, tokens);
    const double all = kContextCalls * us(placed_.cp, Collective::all_gather, bytes);
    add_communication(Axis::cp, all * layers_);
    return exposed(all, 3 * layer.scores, gamma());
  }

  double expert_us(double tokens) {
    if (plan_.ep == 1 || count_.moe_layers == 0) return 0;
    const double all = expert_calls(plan_) *
                       us(placed_.ep, Collective::all_to_all, expert_bytes(model_, plan_, tokens));
    out_.ep_us = all * out_.micro_batches * layers_ * count_.moe_layers / model_.layers;
    return all;
  }

  double pipeline_us(double tokens) {
    if (plan_.pp == 1) return 0;
    const double bytes = pipeline_bytes(model_, plan_, tokens);
    const double all = pipeline_calls(plan_) * us(placed_.pp, Collective::send_recv, bytes);
    add_communication(Axis::pp, all);
    return all;
  }

  void replicas() {
    double all = gradients_us(dense_per_gpu(), placed_.dp);
    if (count_.expert > 0)
      all += gradients_us(count_.expert / (plan_.tp * plan_.pp * plan_.ep), placed_.expert_dp);
    out_.communication_us[static_cast<std::size_t>(Axis::dp)] = all;
    // What is sent once per step hides behind the last micro-batch, what is sent for each behind all.
    const double beside = out_.stage_us * (plan_.zero == 3 ? out_.micro_batches : 1);
    out_[StepPart::dp] = plan_.overlap_dp ? exposed(all, beside, gamma()) : all;
  }

  /// Of the stage that has an embedding.
  double dense_per_gpu() const {
    return (count_.dense - count_.embedding) / (plan_.tp * plan_.pp) +
           (plan_.pp > 1 && !model_.tied ? count_.embedding / 2 : count_.embedding) / plan_.tp;
  }

  double gradients_us(double parameters, const std::vector<GpuGroup>& groups) const {
    if (groups.empty() || parameters <= 0) return 0;
    const double gradients = plan_.gradient_bytes * parameters;
    if (plan_.zero == 0) return us(groups, Collective::all_reduce, gradients);
    const double weights = us(groups, Collective::all_gather, kBytesOfHalf * parameters);
    const double scatter = us(groups, Collective::reduce_scatter, gradients);
    // ZeRO-3 gathers the weights of each layer forward and again backward, for every micro-batch.
    if (plan_.zero == 3) return (2 * weights + scatter) * out_.micro_batches;
    return scatter + weights;
  }

  void optimiser() {
    const StepNumbers& step = calibration_.step;
    const double own = dense_per_gpu() / (plan_.zero >= 1 ? plan_.dp * plan_.cp : 1) +
                       count_.expert / (plan_.tp * plan_.pp * plan_.ep) /
                           (plan_.zero >= 1 ? plan_.dp / plan_.ep : 1);
    out_[StepPart::optimiser] = own * step.optimiser_bytes * 1e-3 / machine_.memory;
  }

  void input_and_stragglers() {
    const double work = out_.total_us();
    const double sigma = calibration_.step.jitter_sigma;
    out_[StepPart::straggler] = work * sigma * std::sqrt(2 * detmath::log(placed_.job.nodes));
    if (model_.sample_kbytes <= 0 || placed_.storage_rate <= 0) return;
    const double read =
        plan_.global_batch * model_.sample_kbytes / placed_.job.nodes / placed_.storage_rate;
    out_[StepPart::input] = std::max(0.0, read - work);
  }

  double us(const std::vector<GpuGroup>& groups, Collective op, double bytes) const {
    return slowest_us(calibration_, groups, op, bytes);
  }

  void add_communication(Axis axis, double per_micro_batch) {
    out_.communication_us[static_cast<std::size_t>(axis)] = per_micro_batch * out_.micro_batches;
  }

  const Calibration& calibration_;
  const PlacedPlan& placed_;
  const ModelSpec& model_;
  const ParallelPlan& plan_;
  const Ablation& ablation_;
  Machine machine_;
  ParameterCount count_;
  double layers_ = 0;  // of the fullest stage
  StepTime out_;
};

}  // namespace

std::string_view name(StepPart part) {
  static constexpr std::array<std::string_view, kStepParts> names{
      "compute", "bubble", "tp", "cp", "ep", "pp", "dp", "optimiser", "input", "straggler"};
  return names[static_cast<std::size_t>(part)];
}

double StepTime::total_us() const {
  double sum = 0;
  for (const double part : us) sum += part;
  return sum;
}

double exposed(double communication_us, double hides_us, double gamma) {
  if (gamma <= 1 || hides_us <= 0 || communication_us <= 0) return communication_us;
  const double longer = std::max(communication_us, hides_us);
  const double shorter = std::min(communication_us, hides_us);
  return longer * detmath::pow(1 + detmath::pow(shorter / longer, gamma), 1 / gamma) - hides_us;
}

StepTime step_time(const Calibration& calibration, const PlacedPlan& placed, const ModelSpec& model,
                   const ParallelPlan& plan, const Ablation& ablation) {
  return Step(calibration, placed, model, plan, ablation).time();
}

double checkpoint_bytes(const Calibration& calibration, const ModelSpec& model) {
  return calibration.step.checkpoint_bytes * count_parameters(model).all();
}

double checkpoint_us(const Calibration& calibration, const PlacedPlan& placed,
                     const ModelSpec& model) {
  if (placed.storage_rate <= 0) return 0;
  return checkpoint_bytes(calibration, model) * 1e-3 / (placed.storage_rate * placed.job.nodes);
}

}  // namespace muster
