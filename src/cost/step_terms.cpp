// The parts of a step in words, for reports: nothing here decides.

#include <spdlog/fmt/fmt.h>

#include "muster/cost/step.hpp"

namespace muster {
namespace {

/// Which numbers of the calibration a part took, and what of the question.
struct PartWords {
  const Calibration& calibration;
  const PlacedPlan& placed;
  const ModelSpec& model;
  const ParallelPlan& plan;
  const StepTime& time;

  std::string source(const std::string& path) const { return calibration.source(path); }

  const std::vector<GpuGroup>& groups(Axis axis) const {
    switch (axis) {
      case Axis::tp:
        return placed.tp;
      case Axis::cp:
        return placed.cp;
      case Axis::pp:
        return placed.pp;
      case Axis::dp:
        break;
    }
    return placed.dp;
  }

  /// Where its numbers are from: the network's if some group of it spans nodes, else those of the links.
  std::string carrier(const std::vector<GpuGroup>& groups) const {
    const GpuGroup* inside = nullptr;
    for (const GpuGroup& group : groups) {
      if (group.domains > 1) return source("network/efficiency");
      inside = &group;
    }
    if (!inside) return source("network/efficiency");
    const GpuLinks& links = calibration.links[inside->links];
    const bool nvls =
        inside->in_switch && links.nvls_efficiency > 0 && inside->gpus >= links.nvls_least_gpus;
    return source("links/" + links.name + (nvls ? "/nvls_efficiency" : "/ring_efficiency"));
  }

  std::string of_axis(Axis axis, const char* what) const {
    const double us = time.communication_us[static_cast<std::size_t>(axis)];
    return fmt::format("{}: {:.4g} s on the wires, what is not hidden of it", what, us * 1e-6);
  }

  CostTerm term(StepPart part) const {
    CostTerm out{std::string{name(part)}, time[part], "", ""};
    const auto of = [&](Axis axis, const char* what) {
      out.inputs = of_axis(axis, what);
      out.source = carrier(groups(axis));
    };
    switch (part) {
      case StepPart::compute:
        compute(out);
        break;
      case StepPart::bubble:
        out.inputs = fmt::format("(pp - 1) / virtual = {} / {} of a micro-batch", plan.pp - 1,
                                 plan.virtual_stages);
        out.source = "Narayanan et al., SC21";
        break;
      case StepPart::tp:
        of(Axis::tp, "activations of each layer, forward and backward");
        break;
      case StepPart::cp:
        of(Axis::cp, "keys and values of each layer");
        break;
      case StepPart::ep:
        out.inputs = fmt::format("tokens to their experts and back: {:.4g} s", time.ep_us * 1e-6);
        out.source = carrier(placed.ep);
        break;
      case StepPart::pp:
        of(Axis::pp, "activations between stages");
        break;
      case StepPart::dp:
        of(Axis::dp, plan.zero == 3 ? "weights and gradients" : "gradients");
        out.source += "; overlap: " + source("step/overlap_gamma");
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
    return out;
  }

  void compute(CostTerm& out) const {
    const GpuSpec& gpu = calibration.gpus[placed.gpus.front()];
    out.inputs = fmt::format("{:.0f} micro-batches of {:.4g} ms in a stage of {} GPU(s), {}",
                             time.micro_batches, time.stage_us * 1e-3, plan.tp * plan.cp, gpu.name);
    out.source = source("compute/" + gpu.compute + "/" +
                        (plan.precision == Precision::fp8 ? "fp8_efficiency" : "gemm_efficiency"));
  }
};

}  // namespace

std::vector<CostTerm> terms(const Calibration& calibration, const PlacedPlan& placed,
                            const ModelSpec& model, const ParallelPlan& plan,
                            const StepTime& time) {
  const PartWords words{calibration, placed, model, plan, time};
  std::vector<CostTerm> out;
  for (std::size_t i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    if (time[part] != 0 || part == StepPart::compute) out.push_back(words.term(part));
  }
  return out;
}

}  // namespace muster
