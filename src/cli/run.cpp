// muster run: one trace, one fleet, one policy.

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_text.hpp"
#include "muster/io/results.hpp"
#include "muster/metrics/books.hpp"
#include "muster/metrics/load.hpp"
#include "muster/metrics/quota_notes.hpp"
#include "muster/metrics/text.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::string out;
};

/// What the trace is and what it asks for, before the time is spent.
void print_preflight(const TraceReport& report, const Loads& asked) {
  print(rows_line(report) + load_text(asked.fleet) + "\n");
  if (asked.pools.size() > 1)
    for (const Load& pool : asked.pools)
      if (pool.ratio() > 1) print(load_text(pool) + "\n");
  std::fflush(stdout);
}

std::vector<ShapeDemand> charged(const IdVector<ShapeId, Demand>& demands) {
  std::vector<ShapeDemand> list;
  for (const Demand& demand : demands) list.push_back({demand.total_milli(), demand.pools});
  return list;
}

/// Whether the run answers "this does not work": nothing could go on, or a livelock was stopped.
bool stuck(const RunSummary& run) {
  return std::any_of(run.findings.begin(), run.findings.end(), [&](const Finding& finding) {
    return finding.kind == Finding::Kind::deadlock ||
           (finding.kind == Finding::Kind::livelock && run.stopped_early);
  });
}

int run(const Flags& flags) {
  const ExperimentSpec spec = flags.experiment.spec();
  Experiment experiment = spec.load();
  const std::filesystem::path out =
      flags.out.empty() ? spec.out() : std::filesystem::path{flags.out};
  const Workload& workload = experiment.trace.workload;
  const IdVector<ShapeId, Demand> demands =
      resolve_all(workload, experiment.fleet, experiment.policy.policy->cutting());

  CatchInterrupt interrupt;
  Results results{out, workload};
  const QuotaOptions quotas = quotas_of(experiment.policy);
  for (const std::string& warning : quota_warnings(quotas, workload, experiment.fleet))
    std::fputs(("muster: warning: " + warning + "\n").c_str(), stderr);
  const Loads asked = loads(workload, experiment.fleet, demands, /*windows=*/false);
  print_preflight(experiment.trace.report, asked);
  Books books{experiment.fleet, workload, charged(demands)};
  books.send_lines_to(results.jobs());

  ProgressLine line;
  const RunSummary summary = simulate(
      experiment.fleet, workload, *experiment.policy.policy, experiment.engine, books,
      [&](const Progress& progress) {
        line.show(progress);
        return !CatchInterrupt::asked();
      },
      experiment.seed);
  line.clear();

  books.close(summary);
  Summary all = books.summary();
  note_quotas(quotas, workload, experiment.fleet, all);
  note_load(asked, all);
  all.trace = std::move(experiment.trace.report);
  all.experiment = std::move(experiment.json);
  results.commit(all, books.series());

  print("\n" + summary_text(all, text_options()) + "\n");
  for (const auto& file : results.written()) print("wrote " + file.string() + "\n");
  if (CatchInterrupt::asked()) {
    std::fflush(stdout);
    std::fputs(fmt::format("muster: interrupted at {} of simulated time; the files say what "
                           "happened until then\n",
                           length_text(summary.end - kStart))
                   .c_str(),
               stderr);
    return kInterrupted;
  }
  return stuck(summary) ? kNo : kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  flags->experiment.add_all(app);
  app.add_option("--out", flags->out,
                 "The folder for the results (default: out/ and the name of the experiment)")
      ->option_text("DIR");
  return [flags] { return run(*flags); };
}

const AddCommand added{
    10,
    {"run", "Replay a trace on a fleet under a policy, and write the results",
     "  muster run configs/experiments/first.json --out out/first\n"
     "  muster run --trace traces/first/first.csv --fleet 16x8 --policy easy --out out/easy\n"
     "  muster run --trace jobs.csv.gz --fleet 64x8 --policy batch:backfill=easy,depth=50\n"
     "  muster run configs/experiments/first.json --set /policy/order=sjf --out out/sjf\n"
     "\n"
     "Exit status: 0 done, 1 deadlock or livelock, 2 the input is wrong, 3 muster is wrong.",
     add}};

}  // namespace
}  // namespace muster::cli
