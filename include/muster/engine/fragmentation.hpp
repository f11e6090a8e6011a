#pragma once
#include <optional>
#include <vector>

#include "muster/cost/traffic.hpp"
#include "muster/engine/simulate.hpp"
#include "muster/policy/fragmentation.hpp"

namespace muster {

/// What free GPUs were good for at one moment of a run, and how far apart those lay that were not free.
struct FragmentationAt {
  SimTime at = kStart;
  std::uint32_t running = 0, waiting = 0;  // jobs
  Fragmentation free;
  /// Bytes/s that jobs which run send, as if all got on (some may get ready, or write a checkpoint); nothing
  /// where /cost does not say that anybody communicates.
  std::optional<Traffic> sends;
};

/// Runs the simulation again and looks at `from`, and from then on each `every` (0: only once), until nothing
/// happens any more.
std::vector<FragmentationAt> fragmentation_over_time(const Fleet& fleet, const Workload& workload,
                                                     Policy& policy, const EngineOptions& options,
                                                     SimTime from, Duration every,
                                                     std::uint64_t seed = 1);

}  // namespace muster
