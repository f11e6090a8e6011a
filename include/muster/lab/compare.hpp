#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/io/experiment.hpp"
#include "muster/metrics/summary.hpp"
#include "muster/metrics/text.hpp"

namespace muster {

/// One policy of a comparison, and how it fared.
struct Compared {
  std::string policy;  // as it was named
  std::filesystem::path folder;
  std::optional<Summary> summary;  // nothing if it can't run on this fleet or trace, or failed
  std::string refusal;             // and why
  bool over_time = false;          // stopped after CompareOptions::seconds
  double cpu_s = 0;
};

struct CompareOptions {
  std::filesystem::path out;
  std::size_t threads = 1;
  double seconds = 0;  // wall time for each run; 0 = no end
  /// Asked every few hundred instants of each run; true ends all of them in order.
  std::function<bool()> interrupted;
  /// How many runs are over, and how far the others are in all, 0 to 1. Called from one thread at a
  /// time.
  std::function<void(std::size_t done, double part)> progress;
};

/// Runs each of `experiments` (which differ in their policies) and writes each run's results into
/// out/<policy>/. The answers depend neither on the threads nor on the order in which they end.
/// InputError before any run for what is wrong with what they share, or stands where the results go.
std::vector<Compared> compare(std::span<const ExperimentSpec> experiments,
                              std::span<const std::string> names, const CompareOptions& options);

/// Why its numbers are not those of a whole run: it can't run, was stopped, hangs; "" if they are.
std::string comparison_note(const Compared& run);

/// Where the table goes that is written below.
std::filesystem::path comparison_file(const std::filesystem::path& out);

/// A row per policy: jobs, waits, turnarounds, utilisation, goodput, fairness, preemptions, lost time.
/// Times in seconds and GPU-hours, exact decimals, empty where there is no value; the same bytes for
/// the same runs.
void write_comparison(const std::filesystem::path& file, std::span<const Compared> runs);

/// The same for a person, best mean turnaround first; what did not end is named with the reason.
std::string comparison_text(std::span<const Compared> runs, const TextOptions& options);

}  // namespace muster
