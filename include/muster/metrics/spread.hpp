#pragma once
#include <array>
#include <span>

#include "muster/core/int128.hpp"
#include "muster/engine/record.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// The tightest level of which one domain holds all of these GPUs.
Level spread_of(const Fleet& fleet, std::span<const Slice> slices);

/// GPU time by spread_of() what was held, in thousandth-GPU nanoseconds.
using GpuTimeByLevel = std::array<Int128, kLevels>;

/// How far apart the GPUs of gangs lay, over all runs up to their last stop, end or reshape. It keeps
/// nothing per job: records say what was held, and for how long.
class SpreadBook {
 public:
  SpreadBook(const Fleet& fleet, const Workload& workload) : fleet_(fleet), workload_(workload) {}
  void on(const Record& record);
  const GpuTimeByLevel& times() const { return times_; }

 private:
  const Fleet& fleet_;
  const Workload& workload_;
  GpuTimeByLevel times_{};
};

}  // namespace muster
