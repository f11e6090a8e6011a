// muster checkpoints: how often should jobs write a checkpoint?

#include <memory>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/plan_flags.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/lab/checkpoints.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  PlanFlags plan;
  std::vector<std::string> intervals;
};

std::vector<Duration> intervals_of(const Flags& flags) {
  std::vector<Duration> intervals;
  for (const std::string& text : flags.intervals)
    intervals.push_back(time_of(text, "--interval", kUnknown, true));
  return intervals;
}

std::optional<CheckpointSweep> answer(const Flags& flags, const SweepOptions& options) {
  const ExperimentFlags& e = flags.experiment;
  if (flags.plan.describes()) {
    e.refuse_beside("--nodes");
    if (flags.plan.checkpoint_cost.empty())
      throw InputError("--checkpoint-cost", "is missing",
                       "what writing one takes, for example --checkpoint-cost 30s");
    time_of(flags.plan.checkpoint_cost, "--checkpoint-cost", kUnknown, true);
    const Training training = flags.plan.training();
    const bool warned = flags.plan.warn(training);
    auto sweep = sweep_checkpoints(training, intervals_of(flags), options);
    if (sweep && !warned) flags.plan.warn_of_few(sweep->failures, training);
    return sweep;
  }
  if (e.experiment.empty() && e.trace.empty())
    throw InputError("muster checkpoints", "nothing is given to run",
                     "an experiment, or --nodes 2048 --mttf 250d --checkpoint-cost 30s");
  flags.plan.refuse_training("an experiment");
  ExperimentSpec spec = e.spec();
  if (!flags.plan.checkpoint_cost.empty()) {
    time_of(flags.plan.checkpoint_cost, "--checkpoint-cost", kUnknown, true);
    spec.set_text("/failures/checkpoint_cost", flags.plan.checkpoint_cost, "--checkpoint-cost");
  }
  return sweep_checkpoints(spec, intervals_of(flags), options);
}

int run(const Flags& flags) {
  const CatchInterrupt interrupt;
  ProgressLine line;
  const auto sweep = answer(flags, flags.plan.sweep(line, "checkpoints"));
  line.clear();
  if (!sweep) {
    std::fputs("muster: interrupted; nothing is shown of what was run\n", stderr);
    return kInterrupted;
  }
  flags.plan.put({[&] { return checkpoints_text(*sweep, text_options()); },
                  [&] { return checkpoints_json(*sweep); }, [&] { return checkpoints_csv(*sweep); },
                  [&] { return checkpoints_plot(*sweep); }});
  return kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  flags->plan.add_training(app);
  app.add_option("--checkpoint-cost", flags->plan.checkpoint_cost,
                 "For so long work stops while one is written; of an experiment: of jobs whose "
                 "trace does not say")
      ->option_text("TIME");
  add_list(app, "--interval", flags->intervals,
           "An interval to try; may be given several times (default: Daly's, up to eight times "
           "shorter and longer)")
      ->option_text("TIME ...");
  flags->plan.add_sweep(app);
  flags->plan.add_outputs(app);
  flags->experiment.add_experiment(app);
  flags->experiment.add_trace(app);
  flags->experiment.add_fleet(app);
  app.add_option("--policy", flags->experiment.policy, "A policy, as for `muster run`")
      ->option_text("POLICY");
  return [flags] { return run(*flags); };
}

const AddCommand added{
    16,
    {"checkpoints", "Sweep the checkpoint interval: the best one, beside Young's and Daly's",
     "  muster checkpoints --nodes 2048 --rate 3.79 --checkpoint-cost 30s --restart-cost 10min\n"
     "  muster checkpoints --nodes 64 --mttf 150d --checkpoint-cost 2min --interval 1h --interval "
     "4h\n"
     "  muster checkpoints --nodes 512 --rate 6.5 --law weibull --shape 0.7 --checkpoint-cost 1min "
     "--svg out/c.svg\n"
     "  muster checkpoints configs/experiments/first.json --set /failures/law=exponential \\\n"
     "    --set /failures/rate=65 --checkpoint-cost 30s --seeds 10 --json",
     add}};

}  // namespace
}  // namespace muster::cli
