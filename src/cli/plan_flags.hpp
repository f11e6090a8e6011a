#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "cli/progress.hpp"
#include "muster/lab/sweep.hpp"
#include "muster/lab/training.hpp"

namespace muster::cli {

/// A training in a few numbers, and over how many seeds it is asked: what the planning commands share.
class PlanFlags {
 public:
  void add_training(CLI::App& app);  // --nodes, --mttf or --rate, --law, --shape, --lasts, costs
  void add_repair(CLI::App& app);
  void add_sweep(CLI::App& app);    // --seeds, --seed, --threads
  void add_outputs(CLI::App& app);  // --json, --csv, --svg

  /// Whether anything says what the training is. InputError if that goes with an experiment.
  bool describes() const { return nodes != 0; }
  void refuse_training(const char* with) const;
  /// InputError for what is missing or wrong.
  Training training() const;
  /// On the standard error: that so little time says little. False: it does not.
  bool warn(const Training& training) const;
  /// The same of what was simulated: so many failures of the training in each run on average.
  void warn_of_few(double failures, const Training& training) const;
  /// And that so many failures take minutes to simulate: those of one run of each setting.
  void tell_size(const Training& training, std::span<const double> due) const;
  SweepOptions sweep(ProgressLine& line, const char* what, Duration each_lasts = {}) const;

  /// Prints the table or the JSON, and writes the files that were asked for.
  struct Answer {
    std::function<std::string()> text, json, csv, plot;
  };
  void put(const Answer& answer) const;

  std::uint32_t nodes = 0;
  std::optional<double> rate;
  double shape = 1;
  std::string mttf, law = "exponential", lasts, checkpoint_cost, restart_cost, checkpoint_interval;
  std::string repair_time, repair = "exponential";
  std::uint64_t seeds = 30, seed = 1;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
  std::string csv, svg;

 private:
  bool repairs() const { return !repair_time.empty(); }
  FailureProcess failures() const;
};

/// A time as a flag has it; `otherwise` if it is not given. InputError if it is none, or not above 0 where
/// `positive`.
Duration time_of(const std::string& text, const char* flag, Duration otherwise, bool positive);

}  // namespace muster::cli
