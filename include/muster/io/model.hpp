#pragma once
#include <string>
#include <string_view>

#include "muster/cost/model.hpp"

namespace muster {

/// A model: a .json file, or one that is shipped in configs/models. `where` starts the message if there
/// is none. Throws InputError.
ModelSpec load_model(const std::string& spec, const std::string& where = "--model");
ModelSpec parse_model(std::string_view text, const std::string& where);

/// "tp=8,pp=4,dp=32,micro_batch=1,global_batch=512": docs/cost.md lists the words. What is left out
/// is as in ParallelPlan; dp is then what is left of `gpus`, and the batch one micro-batch for each stage
/// and replica. Throws InputError, also for a plan that is not for `gpus` GPUs or not for this model.
ParallelPlan parse_plan(std::string_view text, const ModelSpec& model, std::uint32_t gpus,
                        const std::string& where);
/// As far as a plan can be read where nothing is known of the model: words, values, what goes together, and
/// `gpus` (0: not known either). Throws InputError.
void check_plan(std::string_view text, std::uint32_t gpus, const std::string& where);

}  // namespace muster
