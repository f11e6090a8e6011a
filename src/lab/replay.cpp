#include "muster/lab/replay.hpp"

#include <algorithm>

#include "muster/engine/failure_laws.hpp"
#include "muster/metrics/books.hpp"
#include "muster/metrics/quota_notes.hpp"

namespace muster {
namespace {

IdVector<ShapeId, Demand> demands_of(const Experiment& experiment) {
  return resolve_all(experiment.trace.workload, experiment.fleet,
                     experiment.policy.policy->cutting());
}

std::vector<ShapeDemand> charged(const IdVector<ShapeId, Demand>& demands) {
  std::vector<ShapeDemand> list;
  for (const Demand& demand : demands) list.push_back({demand.total_milli(), demand.pools});
  return list;
}

}  // namespace

Loads loads_of(const Experiment& experiment) {
  return loads(experiment.trace.workload, experiment.fleet, demands_of(experiment),
               /*windows=*/false);
}

Summary replay(const Experiment& experiment, const Loads& asked, Results& results,
               const ProgressFn& progress) {
  const Workload& workload = experiment.trace.workload;
  Books books{experiment.fleet, workload, charged(demands_of(experiment))};
  books.send_lines_to(results.jobs());
  const RunSummary run = simulate(experiment.fleet, workload, *experiment.policy.policy,
                                  experiment.engine, books, progress, experiment.seed);
  books.close(run);

  Summary summary = books.summary();
  note_quotas(quotas_of(experiment.policy), workload, experiment.fleet, summary);
  note_load(asked, summary);
  if (const OutagePlan* plan = experiment.engine.outages.get();
      plan && !plan->failures.processes.empty())
    summary.ettr_expected = expected_ettr(plan->failures, experiment.fleet, workload);
  summary.trace = experiment.trace.report;
  summary.experiment = experiment.json;
  results.commit(summary, books.series());
  return summary;
}

bool stuck(const Summary& summary) {
  return std::any_of(summary.findings.begin(), summary.findings.end(), [&](const auto& finding) {
    return finding.kind == Finding::Kind::deadlock ||
           (finding.kind == Finding::Kind::livelock && summary.stopped_early);
  });
}

}  // namespace muster
