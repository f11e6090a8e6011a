#pragma once
#include <memory>
#include <vector>

#include "muster/engine/outages.hpp"
#include "muster/engine/shared_storage.hpp"
#include "muster/workload/workload.hpp"

namespace muster::test {

/// What all get together, where a test says no more than how long things take.
inline constexpr Int128 kWholePipe = Int128{SharedStorage::kParts} * 1'000'000;

/// Whether jobs go on while they write.
enum class Writes { blocking, background };

/// Each job writes, and reads, for `alone` if nobody else does, at `share` of what there is: by what it stops
/// for, or in the background. Returns the plan with that storage; `w` gets what goes with it.
inline OutagePlan with_storage(OutagePlan plan, Workload& w, std::vector<Duration> alone,
                               Writes writes = Writes::blocking, std::vector<Int128> share = {}) {
  auto storage = std::make_shared<SharedStorage>();
  storage->rate = kWholePipe;
  storage->background = writes == Writes::background;
  if (w.restart_cost.empty()) w.restart_cost.assign(w.size(), kUnknown);
  if (writes == Writes::blocking) w.checkpoint_cost.assign(w.size(), kUnknown);
  if (writes == Writes::background) plan.write_time.assign(w.size(), Duration{});
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    const Duration takes = alone[i % alone.size()];
    (writes == Writes::blocking ? w.checkpoint_cost : plan.write_time)[j] = takes;
    w.restart_cost[j] = std::max(w.restart_cost[j], Duration{}) + takes;
    storage->jobs.items().push_back(
        {takes, takes, share.empty() ? kWholePipe : share[i % share.size()]});
  }
  plan.storage = std::move(storage);
  return plan;
}

}  // namespace muster::test
