#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "muster/io/experiment.hpp"

namespace muster::cli {

/// The flags that name the parts of an experiment, which several subcommands share. A flag wins over
/// the same value in an experiment's file, and --set over both.
class ExperimentFlags {
 public:
  void add_experiment(CLI::App& app);  // the file, --set
  void add_all(CLI::App& app);         // everything that makes an experiment
  void add_set(CLI::App& app);
  void add_trace(CLI::App& app);    // --trace and how to read it
  void add_reading(CLI::App& app);  // only how to read it
  void add_fleet(CLI::App& app);
  void add_policy(CLI::App& app);  // --policy, --seed, --plugin
  void add_seed(CLI::App& app);
  void add_cost(CLI::App& app);

  ExperimentSpec spec() const;
  /// `base` with the flags on top.
  ExperimentSpec spec(ExperimentSpec base) const;

  /// Refuses all of them where `other` stands in for an experiment.
  void refuse_beside(const std::string& other) const;

  std::string trace_flag = "--trace";  // what messages call the trace
  std::string experiment, trace, format, fleet, policy, cost, seed, time_zone;
  std::vector<std::string> reader_options, set, plugins;
  bool skip_bad_rows = false;

 private:
  void give_cost(ExperimentSpec& spec) const;
};

/// --plugin, for commands that run no experiment as well.
void add_plugins(CLI::App& app, std::vector<std::string>& plugins);

/// An option that may be given several times, one value each.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& help);

}  // namespace muster::cli
