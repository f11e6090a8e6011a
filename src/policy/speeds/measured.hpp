#pragma once
#include <memory>

#include "muster/policy/speed.hpp"

namespace muster {

/// How fast models are by a table that lists them on so many GPUs of so many nodes; `otherwise` for jobs
/// whose model is not in it.
std::unique_ptr<SpeedModel> measured_speeds(std::unique_ptr<SpeedModel> otherwise,
                                            const Workload& w, const Fleet& fleet);

}  // namespace muster
