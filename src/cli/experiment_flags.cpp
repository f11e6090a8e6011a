#include "cli/experiment_flags.hpp"

#include "muster/core/error.hpp"
#include "muster/io/text/assignments.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster::cli {

CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& help) {
  return app.add_option(name, values, help)->allow_extra_args(false);
}

void add_plugins(CLI::App& app, std::vector<std::string>& plugins) {
  add_list(app, "--plugin", plugins,
           "Load a policy, order, placer, ... of one's own first (docs/writing-a-policy.md)")
      ->option_text("FILE.so ...");
}

void ExperimentFlags::add_experiment(CLI::App& app) {
  app.add_option("experiment", experiment, "An experiment's JSON file (docs/experiments.md)")
      ->option_text("EXPERIMENT.json");
  add_set(app);
}

void ExperimentFlags::add_set(CLI::App& app) {
  add_list(app, "--set", set,
           "Set any value of the experiment, by its JSON pointer: /policy/depth=50, "
           "/engine/passes=event")
      ->option_text("POINTER=VALUE ...");
}

void ExperimentFlags::add_all(CLI::App& app) {
  add_experiment(app);
  add_trace(app);
  add_fleet(app);
  add_policy(app);
  add_cost(app);
}

void ExperimentFlags::add_cost(CLI::App& app) {
  app.add_option("--cost", cost,
                 "What placements cost (docs/experiments.md): a file, or values such as "
                 "contention=true,communication=0.3")
      ->option_text("COST");
}

void ExperimentFlags::add_trace(CLI::App& app) {
  app.add_option("--trace", trace,
                 "The trace to replay: a file, also .gz or .zst; - is the standard input")
      ->option_text("FILE");
  add_reading(app);
}

void ExperimentFlags::add_reading(CLI::App& app) {
  std::string known;
  for (const auto& [name, format_known] : trace_formats())
    known += (known.empty() ? "" : ", ") + name;
  app.add_option("--format", format,
                 "The trace's format, if it is not to be recognised by content: " + known)
      ->option_text("NAME");
  app.add_flag("--skip-bad-rows", skip_bad_rows,
               "Leave out rows that can't be read, and count them");
  app.add_option("--time-zone", time_zone,
                 "The time zone of times that name none: Asia/Shanghai, +08:00")
      ->option_text("ZONE");
  add_list(app, "--reader-option", reader_options,
           "An option of the trace's format, as docs/traces.md lists them: unit=ms")
      ->option_text("NAME=VALUE ...");
}

void ExperimentFlags::add_fleet(CLI::App& app) {
  app.add_option("--fleet", fleet,
                 "A fleet's file, NODESxGPUS such as 64x8, or one that `muster fleet list` names")
      ->option_text("FLEET");
}

void ExperimentFlags::add_policy(CLI::App& app) {
  app.add_option("--policy", policy,
                 "A policy's file, one that `muster policies` names, or a family with parameters: "
                 "batch:backfill=easy,depth=50")
      ->option_text("POLICY");
  add_plugins(app, plugins);
  add_seed(app);
}

void ExperimentFlags::add_seed(CLI::App& app) {
  app.add_option("--seed", seed, "The seed of everything that the run draws at random (default 1)")
      ->option_text("N");
}

/// "contention=true,communication=0.3", or a file that says so.
void ExperimentFlags::give_cost(ExperimentSpec& spec) const {
  if (cost.find('=') == std::string::npos) {
    if (!cost.empty()) spec.set_text("/cost", cost, "--cost");
    return;
  }
  for (const std::string& part : assignments(cost)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || part.find_first_of("/~") < equals)
      throw InputError("--cost", "expected NAME=VALUE, got \"" + part + "\"",
                       "for example --cost contention=true,communication=0.3");
    spec.set("/cost/" + part.substr(0, equals), part.substr(equals + 1), "--cost");
  }
}

void ExperimentFlags::refuse_beside(const std::string& other) const {
  if (!experiment.empty() || !trace.empty() || !fleet.empty())
    throw InputError(other, "stands in for an experiment, and there is one",
                     "leave one of the two out");
  const auto refuse = [&](bool given, const char* flag) {
    if (given)
      throw InputError(flag, "goes with an experiment, and not with " + other,
                       "leave one of the two out");
  };
  refuse(!set.empty(), "--set");
  refuse(!policy.empty(), "--policy");
  refuse(!format.empty(), "--format");
  refuse(!time_zone.empty(), "--time-zone");
  refuse(!reader_options.empty(), "--reader-option");
  refuse(skip_bad_rows, "--skip-bad-rows");
}

ExperimentSpec ExperimentFlags::spec() const {
  return spec(experiment.empty() ? ExperimentSpec{} : ExperimentSpec::read(experiment));
}

ExperimentSpec ExperimentFlags::spec(ExperimentSpec base) const {
  ExperimentSpec spec = std::move(base);
  const auto give = [&](const std::string& value, const char* pointer, const char* flag) {
    if (!value.empty()) spec.set_text(pointer, value, flag);
  };
  for (const std::string& plugin : plugins) spec.add_plugin(plugin, "--plugin");
  give(fleet, "/fleet", "--fleet");
  give(trace, "/workload/trace", trace_flag.c_str());
  give(format, "/workload/format", "--format");
  give(time_zone, "/workload/time_zone", "--time-zone");
  give(policy, "/policy", "--policy");
  give_cost(spec);
  if (skip_bad_rows) spec.set("/workload/skip_bad_rows", "true", "--skip-bad-rows");
  if (!seed.empty()) spec.set("/seed", seed, "--seed");
  for (const std::string& option : reader_options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("--reader-option", "expected NAME=VALUE, got \"" + option + "\"");
    const std::string name = option.substr(0, equals);
    if (name.find_first_of("/~") != std::string::npos)
      throw InputError("--reader-option", "no reader has an option \"" + name + "\"");
    spec.set_text("/workload/options/" + name, option.substr(equals + 1),
                  "--reader-option " + name);
  }
  for (const std::string& assignment : set) spec.set(assignment);
  return spec;
}

}  // namespace muster::cli
