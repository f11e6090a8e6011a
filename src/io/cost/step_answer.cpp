#include <spdlog/fmt/fmt.h>
#include <algorithm>

#include "io/cost/desk.hpp"
#include "io/results/json_text.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/memory.hpp"
#include "muster/cost/rounding.hpp"
#include "muster/cost/step.hpp"
#include "muster/cost/traffic.hpp"
#include "muster/io/model.hpp"

namespace muster {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;  // what makers of memory call a GB

std::unique_ptr<Mapping> mapping_called(const std::string& name, const std::string& where) {
  const auto& all = MappingRegistry::all();
  const auto found = all.find(name.empty() ? "tp_innermost" : name);
  if (found == all.end())
    throw InputError(where, "there is no mapping \"" + name + "\"",
                     did_you_mean(name, MappingRegistry::names()));
  return found->second.make();
}

Ablation ablation_called(const std::string& name, const std::string& where) {
  Ablation ablation;
  if (name.empty()) return ablation;
  if (name != "overlap")
    throw InputError(where, "there is no term \"" + name + "\" that can be left out",
                     did_you_mean(name, {"overlap"}));
  ablation.overlap = false;
  return ablation;
}

void add_numbers(CostAnswer& answer, const ModelSpec& model, const ParallelPlan& plan,
                 const GpuSpec& gpu, std::uint32_t gpus, double seconds) {
  const bool eight = plan.precision == Precision::fp8 && gpu.fp8_tflops > 0;
  const double peak = eight ? gpu.fp8_tflops : gpu.bf16_tflops;
  const double batch = plan.global_batch;
  const auto per_gpu = [&](double flops) { return flops / seconds / gpus * 1e-12; };
  const double achieved = per_gpu(model_flops(model, batch));
  const auto add = [&](const char* name, std::string value) {
    answer.values.emplace_back(name, std::move(value));
  };
  add("tflops_per_gpu", json_number(achieved));
  add("hardware_tflops_per_gpu",
      json_number(per_gpu(hardware_flops(model, batch, plan.recompute))));
  add("mfu", json_number(achieved / peak));
  add("peak_tflops", json_number(peak));
  add("peak", JsonText::quoted(eight ? "fp8, dense" : "bf16 (fp16 where there is none), dense"));
  add("global_batch", json_number(batch));
  add("samples_per_s", json_number(batch / seconds));
}

/// A plan that does not fit is answered all the same, with a warning: memory is reckoned, and stacks differ.
void add_memory(CostAnswer& answer, const ModelSpec& model, const ParallelPlan& plan,
                const GpuSpec& gpu) {
  const StepMemory m = step_memory(model, plan);
  answer.values.emplace_back("memory_gbytes", json_number(m.total() * 1e-9));
  const double has = gpu.hbm_gbytes * kGibibyte;
  if (gpu.hbm_gbytes <= 0 || m.total() <= has) return;
  answer.values.emplace_back(
      "warning",
      JsonText::quoted(fmt::format(
          "does not fit: {:.4g} GB per GPU (weights {:.4g}, gradients {:.4g}, optimiser {:.4g}, "
          "activations {:.4g}), {} has {:.4g}",
          m.total() * 1e-9, m.weights * 1e-9, m.gradients * 1e-9, m.optimiser * 1e-9,
          m.activations * 1e-9, gpu.name, has * 1e-9)));
}

}  // namespace

CostAnswer answer_step(CostDesk::Inside& desk, const CostQuestion& question) {
  know_values(question,
              {"fleet", "placement", "model", "plan", "mapping", "without", "calibration"});
  const CostMap& map = desk.map(question);
  const std::vector<Slice> slices = desk.placement(map, question);
  const ModelSpec& model = desk.model(question);
  const std::uint32_t gpus = gpus_in(slices);
  const ParallelPlan plan = parse_plan(question.value("plan"), model, gpus, question.where("plan"));
  const auto mapping = mapping_called(question.value("mapping"), question.where("mapping"));
  const Ablation ablation = ablation_called(question.value("without"), question.where("without"));
  const PlacedPlan placed = place(map, slices, plan, *mapping);
  const GpuSpec& gpu = *map.gpu(map.fleet().nodes[slices.front().first].pool);
  if (plan.precision == Precision::fp8 && gpu.fp8_tflops <= 0 && gpu.gemm_fp8_tflops <= 0)
    throw InputError(question.where("plan"), gpu.name + " has no fp8 rate: precision=fp8",
                     "take a GPU that has (H100, H200, B200, ...), or leave precision out");
  const StepTime time = step_time(map.calibration(), placed, model, plan, ablation);
  CostAnswer answer;
  Duration sum{};
  for (CostTerm& term : terms(map.calibration(), placed, model, plan, time)) {
    answer.terms.push_back(
        {std::move(term.name), rounded(term.us), std::move(term.inputs), std::move(term.source)});
    sum += answer.terms.back().time;
  }
  const double seconds = static_cast<double>(sum.count()) * 1e-9;
  answer.values = {
      {"kind", JsonText::quoted("step")},
      {"model", JsonText::quoted(model.name)},
      {"gpus", std::to_string(gpus)},
      {"plan", JsonText::quoted(fmt::format("tp={},pp={},cp={},dp={},ep={},zero={}", plan.tp,
                                            plan.pp, plan.cp, plan.dp, plan.ep, plan.zero))},
      {"seconds", json_seconds(sum)}};
  add_numbers(answer, model, plan, gpu, gpus, seconds);
  answer.values.emplace_back("checkpoint_gbytes",
                             json_number(checkpoint_bytes(map.calibration(), model) * 1e-9));
  if (const double us = checkpoint_us(map.calibration(), placed, model); us > 0)
    answer.values.emplace_back("checkpoint_s", json_seconds(rounded(us)));
  const Traffic sent = step_traffic(map.fleet(), slices, model, plan, *mapping);
  answer.values.emplace_back("node_gbytes", json_number(sent.nodes * 1e-9));
  answer.values.emplace_back("leaf_gbytes", json_number(sent.leaves * 1e-9));
  answer.values.emplace_back("pod_gbytes", json_number(sent.pods * 1e-9));
  add_memory(answer, model, plan, gpu);
  answer.values.emplace_back("calibration", JsonText::quoted(map.calibration().name));
  return answer;
}

}  // namespace muster
