#include "engine.hpp"
#include "muster/engine/why.hpp"

namespace muster {

CostReport why_cost(const Fleet& fleet, const Workload& workload, Policy& policy,
                    const EngineOptions& options, JobId job, std::optional<SimTime> at,
                    std::uint64_t seed, const ProgressFn& progress) {
  CostReport report;
  Observer nobody;
  Engine engine(fleet, workload, policy, options, nobody, seed);
  engine.run(progress, [&](const View& view) {
    if (at && view.now > *at) return false;
    if (!engine.runs(job)) {
      report = {};
      return !engine.gone(job);
    }
    const auto where = engine.where(job);
    report = {true, at ? *at : view.now, {where.begin(), where.end()}, engine.cost_terms(job)};
    return at.has_value();
  });
  return report;
}

}  // namespace muster
