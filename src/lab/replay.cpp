#include "muster/lab/replay.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "muster/engine/failure_laws.hpp"
#include "muster/engine/listeners.hpp"
#include "muster/metrics/batches.hpp"
#include "muster/metrics/books.hpp"
#include "muster/metrics/quota_notes.hpp"
#include "muster/metrics/traffic_book.hpp"

namespace muster {
namespace {

IdVector<ShapeId, Demand> demands_of(const Experiment& experiment) {
  return resolve_all(experiment.trace.workload, experiment.fleet,
                     experiment.policy.policy->cutting());
}

std::vector<ShapeDemand> charged(const IdVector<ShapeId, Demand>& demands) {
  std::vector<ShapeDemand> list;
  for (const Demand& demand : demands)
    list.push_back(
        {demand.total_milli(), demand.pools, std::int64_t{demand.unused} * demand.milli});
  return list;
}

Books books_of(const Experiment& experiment) {
  return {experiment.fleet, experiment.trace.workload, charged(demands_of(experiment))};
}

/// Runs it on its books; `history` listens too, if there is one. `told` is called when every job's line is.
Summary run_on(Books& books, Bookkeeper bookkeeper, Observer* history, const Experiment& experiment,
               const ProgressFn& progress, const std::function<void()>& told) {
  Batches batches{books, bookkeeper};
  std::vector<Observer*> listeners{&batches};
  if (history) listeners.push_back(history);
  std::optional<TrafficBook> traffic;
  if (const CostOptions& cost = experiment.engine.cost; cost.of_use())
    listeners.push_back(&traffic.emplace(experiment.trace.workload, experiment.fleet, cost));
  Listeners all{listeners};
  Observer& observer = listeners.size() > 1 ? static_cast<Observer&>(all) : batches;
  const RunSummary run =
      simulate(experiment.fleet, experiment.trace.workload, *experiment.policy.policy,
               experiment.engine, observer, progress, experiment.seed);
  batches.hand_over();
  books.close(run);
  told();
  Summary summary = books.summary();
  if (traffic) summary.traffic = traffic->all();
  if (const OutagePlan* plan = experiment.engine.outages.get();
      plan && !plan->failures.processes.empty())
    summary.ettr_expected = expected_ettr(*plan, experiment.fleet, experiment.trace.workload);
  return summary;
}

}  // namespace

Loads loads_of(const Experiment& experiment) {
  return loads(experiment.trace.workload, experiment.fleet, demands_of(experiment),
               /*windows=*/false);
}

Summary replay(const Experiment& experiment, const Loads& asked, Results& results,
               const ProgressFn& progress, Bookkeeper bookkeeper) {
  const Workload& workload = experiment.trace.workload;
  Books books = books_of(experiment);
  books.send_lines_to(results.jobs());
  Summary summary = run_on(books, bookkeeper, results.history(experiment.fleet), experiment,
                           progress, [&] { results.finish_jobs(bookkeeper); });
  note_quotas(quotas_of(experiment.policy), workload, experiment.fleet, summary);
  note_load(asked, summary);
  summary.trace = experiment.trace.report;
  summary.experiment = experiment.json;
  results.commit(summary, books.series());
  return summary;
}

Summary measure(const Experiment& experiment, const ProgressFn& progress) {
  Books books = books_of(experiment);
  return run_on(books, Bookkeeper::same_thread, nullptr, experiment, progress, [] {});
}

bool stuck(const Summary& summary) {
  return std::any_of(summary.findings.begin(), summary.findings.end(), [&](const auto& finding) {
    return finding.kind == Finding::Kind::deadlock ||
           (finding.kind == Finding::Kind::livelock && summary.stopped_early);
  });
}

}  // namespace muster
