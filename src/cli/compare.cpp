// muster compare: one trace, one fleet, several policies, one table.

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_text.hpp"
#include "muster/core/error.hpp"
#include "muster/lab/compare.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::vector<std::string> policies;
  std::string out;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  double seconds = 0;
};

std::vector<std::string> names_of(const Flags& flags) {
  if (!flags.policies.empty()) return flags.policies;
  std::vector<std::string> all;
  for (const PolicyPreset& preset : policy_presets()) all.push_back(preset.name);
  return all;
}

/// The same experiment under each policy. A misspelt name is an error before anything runs.
std::vector<ExperimentSpec> specs_of(const Flags& flags, const std::vector<std::string>& names) {
  ExperimentFlags experiment = flags.experiment;
  const ExperimentSpec base = experiment.experiment.empty()
                                  ? ExperimentSpec{}
                                  : ExperimentSpec::read(experiment.experiment);
  std::vector<ExperimentSpec> specs;
  for (const std::string& name : names) {
    experiment.policy = name;
    specs.push_back(experiment.spec(base));
    if (!flags.policies.empty()) specs.back().policy();
  }
  return specs;
}

void check_flags(const Flags& flags) {
  if (std::isnan(flags.seconds))
    throw InputError("--time-limit", "expected seconds from 0 to 1e9, got nan");
  for (const std::string& assignment : flags.experiment.set)
    if (assignment.starts_with("/policy="))
      throw InputError("--set /policy", "would be in the place of every policy that is compared",
                       "--policy names the policies; --set /policy/depth=50 sets a value of each");
}

int run(const Flags& flags) {
  check_flags(flags);
  const std::vector<std::string> names = names_of(flags);
  const std::vector<ExperimentSpec> specs = specs_of(flags, names);

  CatchInterrupt interrupt;
  CompareOptions options;
  options.out = flags.out.empty() ? "out/compare" : flags.out;
  options.threads = flags.threads;
  options.seconds = flags.seconds;
  options.interrupted = [] { return CatchInterrupt::asked(); };
  ProgressLine line;
  options.progress = [&](std::size_t done, double part) {
    line.show(fmt::format("{} of {} policies done, {:.0f} % of all jobs", done, names.size(),
                          part * 100));
  };
  const std::vector<Compared> runs = compare(specs, names, options);
  line.clear();

  const auto first = std::find_if(runs.begin(), runs.end(),
                                  [](const Compared& one) { return one.summary.has_value(); });
  if (first != runs.end())
    print(rows_line(*first->summary->trace) + "fleet " + first->summary->fleet + "\n\n");
  print(comparison_text(runs, text_options()));
  const std::filesystem::path table = comparison_file(options.out);
  write_comparison(table, runs);
  print("\nwrote " + table.string() + ", and each run in a folder beside it\n");
  return CatchInterrupt::asked() ? kInterrupted : kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  flags->experiment.add_experiment(app);
  flags->experiment.add_trace(app);
  flags->experiment.add_fleet(app);
  flags->experiment.add_cost(app);
  flags->experiment.add_seed(app);
  add_plugins(app, flags->experiment.plugins);
  add_list(app, "--policy", flags->policies,
           "A policy, as for `muster run`; may be given several times (default: every preset)")
      ->option_text("POLICY ...");
  app.add_option("--out", flags->out,
                 "The folder for the table and the runs (default: out/compare)")
      ->option_text("DIR");
  app.add_option("--threads", flags->threads, "Runs side by side (default: the cores)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  app.add_option("--time-limit", flags->seconds,
                 "Stop a run after so many seconds, and say how far it came (default: 0, never)")
      ->check(CLI::Range(0.0, 1e9))
      ->option_text("SECONDS");
  return [flags] { return run(*flags); };
}

const AddCommand added{
    15,
    {"compare", "Replay a trace under several policies, and print one table",
     "  muster compare --trace traces/first/first.csv --fleet 16x8 --policy fifo --policy easy\n"
     "  muster compare --trace jobs.csv.gz --fleet 64x8 --time-limit 60\n"
     "  muster compare configs/experiments/first.json --policy easy --policy "
     "batch:order=sjf,skip=true",
     add}};

}  // namespace
}  // namespace muster::cli
