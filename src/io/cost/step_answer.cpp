#include <spdlog/fmt/fmt.h>
#include <algorithm>

#include "io/cost/desk.hpp"
#include "io/results/json_text.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/rounding.hpp"
#include "muster/cost/step.hpp"
#include "muster/io/model.hpp"

namespace muster {
namespace {

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

/// Which numbers of the calibration a part took, and what of the question.
struct PartWords {
  const CostMap& map;
  const ModelSpec& model;
  const ParallelPlan& plan;
  const StepTime& time;
  const GpuSpec& gpu;

  std::string source(const std::string& path) const { return map.calibration().source(path); }

  std::string of_axis(Axis axis, const char* what) const {
    const double us = time.communication_us[static_cast<std::size_t>(axis)];
    return fmt::format("{}: {:.4g} s on the wires, what is not hidden of it", what, us * 1e-6);
  }

  CostAnswer::Term term(StepPart part) const {
    CostAnswer::Term out{std::string{name(part)}, rounded(time[part]), "", ""};
    switch (part) {
      case StepPart::compute:
        out.inputs =
            fmt::format("{:.0f} micro-batches of {:.4g} ms in a stage of {} GPU(s), {}",
                        time.micro_batches, time.stage_us * 1e-3, plan.tp * plan.cp, gpu.name);
        out.source =
            source("compute/" + gpu.compute + "/" +
                   (plan.precision == Precision::fp8 ? "fp8_efficiency" : "gemm_efficiency"));
        break;
      case StepPart::bubble:
        out.inputs = fmt::format("(pp - 1) / virtual = {} / {} of a micro-batch", plan.pp - 1,
                                 plan.virtual_stages);
        out.source = "Narayanan et al., SC21";
        break;
      case StepPart::tp:
        out.inputs = of_axis(Axis::tp, "activations of each layer, forward and backward");
        break;
      case StepPart::cp:
        out.inputs = of_axis(Axis::cp, "keys and values of each layer");
        break;
      case StepPart::ep:
        out.inputs = fmt::format("tokens to their experts and back: {:.4g} s", time.ep_us * 1e-6);
        break;
      case StepPart::pp:
        out.inputs = of_axis(Axis::pp, "activations between stages");
        break;
      case StepPart::dp:
        out.inputs = of_axis(Axis::dp, plan.zero == 3 ? "weights and gradients" : "gradients");
        out.source = source("network/efficiency") + "; overlap: " + source("step/overlap_gamma");
        break;
      case StepPart::optimiser:
        out.inputs = "weights, gradients and moments through memory";
        out.source = source("step/optimiser_bytes");
        break;
      case StepPart::input:
        out.inputs = fmt::format("samples of {:.4g} kB from storage", model.sample_kbytes);
        out.source = model.source;
        break;
      case StepPart::straggler:
        out.inputs = "the slowest of all nodes";
        out.source = source("step/jitter_sigma");
        break;
    }
    if (out.source.empty()) out.source = source("network/efficiency");
    return out;
  }
};

void add_numbers(CostAnswer& answer, const PartWords& words, std::uint32_t gpus, double seconds) {
  const bool eight = words.plan.precision == Precision::fp8 && words.gpu.fp8_tflops > 0;
  const double peak = eight ? words.gpu.fp8_tflops : words.gpu.bf16_tflops;
  const double batch = words.plan.global_batch;
  const auto per_gpu = [&](double flops) { return flops / seconds / gpus * 1e-12; };
  const double achieved = per_gpu(model_flops(words.model, batch));
  const auto add = [&](const char* name, std::string value) {
    answer.values.emplace_back(name, std::move(value));
  };
  add("tflops_per_gpu", json_number(achieved));
  add("hardware_tflops_per_gpu",
      json_number(per_gpu(hardware_flops(words.model, batch, words.plan.recompute))));
  add("mfu", json_number(achieved / peak));
  add("peak_tflops", json_number(peak));
  add("peak", JsonText::quoted(eight ? "fp8, dense" : "bf16 (fp16 where there is none), dense"));
  add("global_batch", json_number(batch));
  add("samples_per_s", json_number(batch / seconds));
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
  const PartWords words{map, model, plan, time, gpu};
  CostAnswer answer;
  Duration sum{};
  for (std::size_t i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    if (time[part] == 0 && part != StepPart::compute) continue;
    answer.terms.push_back(words.term(part));
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
  add_numbers(answer, words, gpus, seconds);
  answer.values.emplace_back("checkpoint_gbytes",
                             json_number(checkpoint_bytes(map.calibration(), model) * 1e-9));
  if (const double us = checkpoint_us(map.calibration(), placed, model); us > 0)
    answer.values.emplace_back("checkpoint_s", json_seconds(rounded(us)));
  answer.values.emplace_back("calibration", JsonText::quoted(map.calibration().name));
  return answer;
}

}  // namespace muster
