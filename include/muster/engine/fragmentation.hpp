#pragma once
#include <vector>

#include "muster/engine/simulate.hpp"
#include "muster/policy/fragmentation.hpp"

namespace muster {

/// What free GPUs were good for at one moment of a run.
struct FragmentationAt {
  SimTime at = kStart;
  std::uint32_t running = 0, waiting = 0;  // jobs
  Fragmentation free;
};

/// Runs the simulation again and looks at `from`, and from then on each `every` (0: only once), until nothing
/// happens any more.
std::vector<FragmentationAt> fragmentation_over_time(const Fleet& fleet, const Workload& workload,
                                                     Policy& policy, const EngineOptions& options,
                                                     SimTime from, Duration every,
                                                     std::uint64_t seed = 1);

}  // namespace muster
