#pragma once
#include <cstdint>
#include <string_view>

namespace muster {

/// Why a job waits (DESIGN section 4, the waiting book). One cause at any instant.
enum class Cause : std::uint8_t {
  capacity,       // too few free GPUs anywhere
  gpu_type,       // enough free GPUs, but not of an allowed type
  fragmentation,  // enough free GPUs, not in whole nodes, tasks or slots
  topology,       // enough nodes or slots, not in one domain of the level it requires
  reservation,    // fits now, but would delay a promise
  order,          // fits now, but someone ahead must go first
  quota,          // fits now, but its queue is at its cap
  outage,         // crosses a known outage
  interval,       // the next scheduling pass is not due yet
  held,           // waits for a dependency
  readiness       // granted, but not all of its workers are ready
};
inline constexpr std::size_t kCauses = 11;

std::string_view name(Cause);     // "capacity"
std::string_view meaning(Cause);  // one sentence, for reports

}  // namespace muster
