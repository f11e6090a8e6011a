#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "muster/cost/collective.hpp"
#include "muster/cost/group.hpp"
#include "muster/cost/mapping.hpp"
#include "muster/cost/model.hpp"

namespace muster {

/// What the time of one optimiser step is made of, in the order of reports.
enum class StepPart : std::uint8_t {
  compute,
  bubble,  // stages that wait for the first and the last micro-batch
  tp,      // communication that computation does not hide, by the axis that causes it
  cp,
  ep,
  pp,
  dp,
  optimiser,
  input,      // storage that is slower than the step
  straggler,  // the slowest of many nodes
};
inline constexpr std::size_t kStepParts = 10;
std::string_view name(StepPart part);

/// Terms of the model that can be left out by name, to see what each is worth.
struct Ablation {
  bool overlap = true;  // false: no communication is hidden
};

struct StepTime {
  std::array<double, kStepParts> us{};
  // What they were reckoned from.
  double micro_batches = 0;
  double stage_us = 0;                           // computation of one micro-batch in one stage
  std::array<double, kAxes> communication_us{};  // by axis, hidden or not, of one step
  double ep_us = 0;

  double& operator[](StepPart part) { return us[static_cast<std::size_t>(part)]; }
  double operator[](StepPart part) const { return us[static_cast<std::size_t>(part)]; }
  double total_us() const;
};

/// Communication that is left when `hides` us of computation go on beside it (Pollux, OSDI 21): gamma 1
/// hides nothing, infinity all it can.
double exposed(double communication_us, double hides_us, double gamma);

/// A plan on the GPUs of a placement: who talks to whom, groups that are alike taken together. What a
/// step costs depends on the placement through this only, so it is made once per shape.
struct PlacedPlan {
  GpuGroup job;
  std::vector<GpuGroup> tp, cp, dp, pp;  // by axis; pp: neighbours, two by two
  std::vector<GpuGroup> ep, expert_dp;   // who shares experts, and who has the same
  std::vector<std::size_t> gpus;         // types of GPUs, indices into Calibration::gpus
  double storage_rate = 0;               // GB/s of one node; 0: not known
};

/// Slices must be in node order, in one fabric, of known GPUs, and as many as the plan says.
PlacedPlan place(const CostMap& map, std::span<const Slice> slices, const ParallelPlan& plan,
                 const Mapping& mapping);

/// Equations: docs/cost.md.
StepTime step_time(const Calibration& calibration, const PlacedPlan& placed, const ModelSpec& model,
                   const ParallelPlan& plan, const Ablation& ablation = {});

/// The parts of a step that take any time, in words; they sum to it exactly.
std::vector<CostTerm> terms(const Calibration& calibration, const PlacedPlan& placed,
                            const ModelSpec& model, const ParallelPlan& plan, const StepTime& time);

/// Bytes of a checkpoint, and the time to write it: 0 where the storage of the nodes is not known.
double checkpoint_bytes(const Calibration& calibration, const ModelSpec& model);
double checkpoint_us(const Calibration& calibration, const PlacedPlan& placed,
                     const ModelSpec& model);

}  // namespace muster
