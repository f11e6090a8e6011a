// muster spares: how many nodes more than it needs should a training have, and how many of a fleet should be
// left alone?

#include <memory>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/plan_flags.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/lab/kept_spares.hpp"
#include "muster/lab/spares.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  PlanFlags plan;
  double target = 0.99;
  bool target_given = false;
  std::vector<std::uint32_t> spares;
};

void check_flags(const Flags& flags) {
  if (!flags.plan.describes())
    throw InputError("--nodes", "is missing",
                     "how many nodes are needed, for example --nodes 256 --mttf 250d "
                     "--repair-time 1d; or an experiment");
  if (flags.plan.repair_time.empty())
    throw InputError("--repair-time", "is missing", "for example --repair-time 1d");
  if (!(flags.target > 0 && flags.target < 1))
    throw InputError("--target", "expected a share above 0 and below 1", "for example 0.99");
}

int interrupted() {
  std::fputs("muster: interrupted; nothing is shown of what was run\n", stderr);
  return kInterrupted;
}

/// How many nodes more than it needs a training should have.
int run_training(const Flags& flags) {
  check_flags(flags);
  const CatchInterrupt interrupt;
  ProgressLine line;
  const Training training = flags.plan.training();
  const bool warned = flags.plan.warn(training);
  std::vector<double> due;
  for (const std::uint32_t spares :
       flags.spares.empty() ? spares_to_try(training, flags.target) : flags.spares)
    due.push_back(failures_due(training, spares));
  flags.plan.tell_size(training, due);
  const auto sweep = sweep_spares(training, flags.target, flags.spares,
                                  flags.plan.sweep(line, "spares", training.lasts));
  line.clear();
  if (!sweep) return interrupted();
  if (!warned) flags.plan.warn_of_few(sweep->failures, training);
  flags.plan.put({[&] { return spares_text(*sweep, text_options()); },
                  [&] { return spares_json(*sweep); }, [&] { return spares_csv(*sweep); },
                  [&] { return spares_plot(*sweep); }});
  return kDone;
}

/// How many nodes of its fleet the jobs of an experiment should leave alone.
int run_experiment(const Flags& flags) {
  flags.plan.refuse_training("an experiment");
  if (!flags.plan.repair_time.empty() || flags.target_given)
    throw InputError(flags.target_given ? "--target" : "--repair-time",
                     "goes with --nodes, and not with an experiment",
                     "in an experiment /failures says how things fail and are repaired");
  const CatchInterrupt interrupt;
  ProgressLine line;
  const auto sweep =
      sweep_kept_spares(flags.experiment.spec(), flags.spares, flags.plan.sweep(line, "spares"));
  line.clear();
  if (!sweep) return interrupted();
  flags.plan.put({[&] { return kept_spares_text(*sweep, text_options()); },
                  [&] { return kept_spares_json(*sweep); }, [&] { return kept_spares_csv(*sweep); },
                  [&] { return kept_spares_plot(*sweep); }});
  return kDone;
}

int run(Flags& flags, const CLI::App& app) {
  flags.target_given = app.count("--target") > 0;
  const ExperimentFlags& e = flags.experiment;
  if (flags.plan.describes())
    e.refuse_beside("--nodes");
  else if (!e.experiment.empty() || !e.trace.empty() || !e.fleet.empty())
    return run_experiment(flags);
  return run_training(flags);
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option(
         "--target", flags->target,
         "With --nodes, not of an experiment: the share of the time in which the nodes that "
         "are needed shall be up (default 0.99)")
      ->option_text("SHARE");
  flags->plan.add_training(app);
  flags->plan.add_repair(app);
  app.add_option(
         "--checkpoint-interval", flags->plan.checkpoint_interval,
         "Work between two checkpoints (default: one is written all the time, and costs nothing)")
      ->option_text("TIME");
  app.add_option("--checkpoint-cost", flags->plan.checkpoint_cost,
                 "For so long work stops while one is written (default 0)")
      ->option_text("TIME");
  app.add_option("--spares", flags->spares,
                 "A number to try; may be given several times (default: 0 to two more than the "
                 "closed form asks for)")
      ->check(CLI::Range(0, 100'000))
      ->allow_extra_args(false)
      ->option_text("N ...");
  flags->plan.add_sweep(app);
  flags->plan.add_outputs(app);
  flags->experiment.add_experiment(app);
  flags->experiment.add_trace(app);
  flags->experiment.add_fleet(app);
  app.add_option("--policy", flags->experiment.policy, "A policy, as for `muster run`")
      ->option_text("POLICY");
  return [flags, &app] { return run(*flags, app); };
}

const AddCommand added{
    17,
    {"spares", "Sweep the number of spare nodes: how many reach a target, how many pay",
     "  muster spares --nodes 256 --mttf 250d --repair-time 1d --target 0.99\n"
     "  muster spares --nodes 2048 --rate 3.79 --repair-time 20h --checkpoint-interval 20min \\\n"
     "    --checkpoint-cost 30s --restart-cost 10min --csv out/spares.csv --svg out/spares.svg\n"
     "  muster spares --nodes 100 --rate 6.5 --repair lognormal --repair-time 20.4h --spares 5 "
     "--spares 10\n"
     "  muster spares configs/experiments/first.json --set /failures/law=exponential \\\n"
     "    --set /failures/rate=65 --seeds 10 --spares 0 --spares 1 --spares 2",
     add}};

}  // namespace
}  // namespace muster::cli
