#include "muster/engine/simulate.hpp"

#include <array>

#include "engine.hpp"
#include "muster/policy/parts/choose_part.hpp"

namespace muster {

void EngineOptions::walk(ParamVisitor& visit) {
  static constexpr std::array<std::string_view, 2> kPasses{"instant", "event"};
  static constexpr std::array<std::string_view, 2> kOnLivelock{"stop", "go_on"};
  visit.choice("passes", passes, kPasses,
               "instant: one pass after all events of an instant; event: one after each event, "
               "submissions first (CONVENTIONS C16)");
  visit.visit("scheduling_interval", scheduling_interval,
              "passes only at multiples of this; 0: whenever something happened");
  visit.visit("cancel_running", cancel_running, "a cancel time also stops a job that runs by then");
  visit.visit("horizon", horizon, "stop the clock at this time after the origin");
  visit.choice("on_livelock", on_livelock, kOnLivelock,
               "what to do when a deadlock, a livelock or a starved job is found");
  visit.visit("livelock_evictions", livelock_evictions, 2, 1'000'000,
              "fruitless evictions of one pair of jobs, or of one incomplete gang, that count as a "
              "livelock");
  visit.visit("starvation_after", starvation_after,
              "name a job that waits longer than this while later ones start");
  choose_part<SpeedModels>(visit, "speedup", speedup,
                           "how fast elastic jobs get on with other than the GPUs they ask for");
  speed.walk(visit);
}

std::string_view name(JobState s) {
  static constexpr std::array<std::string_view, 10> kNames{
      "NEVER_SUBMITTED", "HELD",    "PENDING",   "RUNNING",           "COMPLETED",
      "FAILED",          "TIMEOUT", "CANCELLED", "CANCELLED_PENDING", "REJECTED"};
  return kNames[static_cast<std::size_t>(s)];
}

RunSummary simulate(const Fleet& fleet, const Workload& workload, Policy& policy,
                    const EngineOptions& options, Observer& observer, const ProgressFn& progress,
                    std::uint64_t seed) {
  return Engine(fleet, workload, policy, options, observer, seed).run(progress);
}

}  // namespace muster
