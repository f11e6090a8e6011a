#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "muster/core/int128.hpp"
#include "muster/policy/cause.hpp"

namespace muster {

/// What became of a GPU-nanosecond. Every one of every installed GPU has exactly one class. The order
/// is that of reports; the idle classes stand in the order in which free GPUs are charged to them.
enum class GpuClass : std::uint8_t {
  down,             // failed, or under repair
  maintenance,      // in a planned outage, or drained and idle
  idle_fragmented,  // free; enough by number for those who wait, but not by shape
  idle_reserved,    // free; whoever fits would delay a promise
  idle_quota,       // free; quota alone stops those who wait
  idle_outage,      // free; those who wait would cross a known outage
  idle_policy,      // free; those who wait fit, but order or the scheduling interval stops them
  idle_too_few,     // free; those who wait need more
  idle_no_demand,   // free, and nobody's
  hoarded,          // held by a gang that is not complete
  starting,         // held, paying start or restart overhead
  checkpoint,       // held, blocked on writing a checkpoint
  run_compute,      // ran, and never redone; the other three are parts of the step time
  run_comm,
  run_stall,
  run_straggler,
  unused,        // held by jobs that run and asked for fewer: their requests were rounded up
  serving,       // inference replicas with load
  serving_idle,  // inference replicas without
  lost           // ran, but the progress was thrown away
};
inline constexpr std::size_t kGpuClasses = 20;
inline constexpr std::size_t kIdleClasses = 7;
inline constexpr std::size_t kFirstIdle = static_cast<std::size_t>(GpuClass::idle_fragmented);

std::string_view name(GpuClass);     // "idle.fragmented"
std::string_view meaning(GpuClass);  // one sentence, for reports

/// GPU time by class, in thousandth-GPU nanoseconds (10^12 of them are one GPU-second).
using GpuTimes = std::array<Int128, kGpuClasses>;
inline constexpr int kGpuTimeDigits = 12;

Int128 total(const GpuTimes&);
/// Everything that jobs held: all classes but down, maintenance and idle.
Int128 allocated(const GpuTimes&);
/// All of run.*.
Int128 ran(const GpuTimes&);

/// The class that free GPUs get which are charged to jobs waiting for `cause`. Held jobs ask for no
/// GPUs: their free GPUs are idle_no_demand. A gang that waits for its last workers (readiness) asks
/// only for those.
constexpr GpuClass idle_class(Cause cause) {
  switch (cause) {
    case Cause::fragmentation:
    case Cause::topology:
      return GpuClass::idle_fragmented;
    case Cause::reservation:
      return GpuClass::idle_reserved;
    case Cause::quota:
      return GpuClass::idle_quota;
    case Cause::outage:
      return GpuClass::idle_outage;
    case Cause::order:
    case Cause::interval:
      return GpuClass::idle_policy;
    case Cause::capacity:
    case Cause::gpu_type:
    case Cause::readiness:
      return GpuClass::idle_too_few;
    case Cause::held:
      break;
  }
  return GpuClass::idle_no_demand;
}

}  // namespace muster
