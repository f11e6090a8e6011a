#pragma once
#include <array>
#include <map>
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

/// How far apart the GPUs of gangs lay, over all runs up to their last stop, end or reshape, and how much of
/// that time they waited for their network. Of a job it keeps something only where records say that it waits.
class SpreadBook {
 public:
  SpreadBook(const Fleet& fleet, const Workload& workload) : fleet_(fleet), workload_(workload) {}
  void on(const Record& record);
  const GpuTimeByLevel& times() const { return times_; }
  const GpuTimeByLevel& waited() const { return waited_; }

 private:
  const Fleet& fleet_;
  const Workload& workload_;
  GpuTimeByLevel times_{}, waited_{};
  /// Of the run of a job that waits for its network.
  struct Wait {
    SimTime since;
    std::uint32_t communicating = 0;
    Int128 so_far = 0;  // millionths of nanoseconds
    void to(SimTime at) {
      so_far += Int128{(at - since).count()} * communicating;
      since = at;
    }
  };
  std::map<JobId, Wait> waits_;
};

}  // namespace muster
