// muster run: one trace, one fleet, one policy.

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_text.hpp"
#include "muster/lab/replay.hpp"
#include "muster/metrics/quota_notes.hpp"
#include "muster/metrics/text.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::string out;
  bool events = false, timeline = false;
};

/// What the trace is and what it asks for, before the time is spent.
void print_preflight(const TraceReport& report, const Loads& asked) {
  print(rows_line(report) + load_text(asked.fleet) + "\n");
  if (asked.pools.size() > 1)
    for (const Load& pool : asked.pools)
      if (pool.ratio() > 1) print(load_text(pool) + "\n");
  std::fflush(stdout);
}

int run(const Flags& flags) {
  const ExperimentSpec spec = flags.experiment.spec();
  Experiment experiment = spec.load();
  const std::filesystem::path out =
      flags.out.empty() ? spec.out() : std::filesystem::path{flags.out};
  CatchInterrupt interrupt;
  ResultOptions files = spec.output();
  files.events |= flags.events;
  files.timeline |= flags.timeline;
  Results results{out, experiment.trace.workload, files};
  for (const std::string& warning :
       quota_warnings(quotas_of(experiment.policy), experiment.trace.workload, experiment.fleet))
    std::fputs(("muster: warning: " + warning + "\n").c_str(), stderr);
  const Loads asked = loads_of(experiment);
  print_preflight(experiment.trace.report, asked);

  ProgressLine line;
  const auto show = [&](const Progress& progress) {
    line.show(progress);
    return !CatchInterrupt::asked();
  };
  const Bookkeeper bookkeeper =
      std::thread::hardware_concurrency() > 1 ? Bookkeeper::own_thread : Bookkeeper::same_thread;
  const Summary summary = replay(experiment, asked, results, show, bookkeeper);
  line.clear();

  print("\n" + summary_text(summary, text_options()) + "\n");
  for (const auto& file : results.written()) print("wrote " + file.string() + "\n");
  // Who asks while files are written has a whole run.
  if (CatchInterrupt::asked() && summary.stopped_early) {
    std::fflush(stdout);
    std::fputs(fmt::format("muster: interrupted at {} of simulated time; the files say what "
                           "happened until then\n",
                           length_text(summary.to - kStart))
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
  app.add_flag("--events", flags->events,
               "Write events.csv too: everything that happened, and where");
  app.add_flag("--timeline", flags->timeline,
               "Write timeline.json too, for ui.perfetto.dev: who held which GPU when");
  return [flags] { return run(*flags); };
}

const AddCommand added{
    10,
    {"run", "Replay a trace on a fleet under a policy, and write the results",
     "  muster run configs/experiments/first.json --out out/first\n"
     "  muster run --trace traces/first/first.csv --fleet 16x8 --policy easy --out out/easy\n"
     "  muster run --trace jobs.csv.gz --fleet 64x8 --policy batch:backfill=easy,depth=50\n"
     "  muster run configs/experiments/first.json --set /policy/order=sjf --out out/sjf\n"
     "  muster run configs/experiments/first.json --timeline --out out/first\n"
     "\n"
     "Exit status: 0 done, 1 deadlock or livelock, 2 the input is wrong, 3 muster is wrong.",
     add}};

}  // namespace
}  // namespace muster::cli
