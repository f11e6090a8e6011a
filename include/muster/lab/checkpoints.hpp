#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "muster/lab/sample.hpp"
#include "muster/lab/sweep.hpp"
#include "muster/lab/training.hpp"
#include "muster/metrics/text.hpp"

namespace muster {

/// How runs fare whose jobs write a checkpoint every `interval`.
struct CheckpointPoint {
  Duration interval{};
  std::string formula;                         // "Young", "Daly": where it is from, if from one
  Sample ettr, goodput;                        // by seed
  double writing = 0, lost = 0, starting = 0;  // shares of the GPU time that jobs held, all seeds
  std::optional<double> expected;              // the effective training time ratio by a closed form
  bool tied = false;                           // the seeds cannot tell it from the best
};

struct CheckpointSweep {
  std::string subject;  // what was run, in words: "2,048 nodes, ..."
  std::uint64_t seeds = 0;
  Duration young = kUnknown,
           daly = kUnknown;             // of the job that all is about; kUnknown: no rates, no cost
  std::vector<CheckpointPoint> points;  // by interval
  double failures = 0;                  // of whatever fails, in a run on average
  std::size_t best = 0;                 // the one with the highest mean ETTR
};

/// Runs a training with each of `intervals`; none: Daly's, up to eight times shorter and longer, and Young's.
/// Nothing if it was interrupted.
std::optional<CheckpointSweep> sweep_checkpoints(const Training& training,
                                                 const std::vector<Duration>& intervals,
                                                 const SweepOptions& options);
/// The same for all jobs of an experiment, whatever its trace says of intervals. Without `intervals` those
/// of the job that asks for most GPU time. InputError if that has no cost, or no failures are drawn.
std::optional<CheckpointSweep> sweep_checkpoints(const ExperimentSpec& experiment,
                                                 const std::vector<Duration>& intervals,
                                                 const SweepOptions& options);

/// The table for a person; a CSV with a row per interval; one JSON document; a script for gnuplot.
std::string checkpoints_text(const CheckpointSweep& sweep, const TextOptions& options);
std::string checkpoints_csv(const CheckpointSweep& sweep);
std::string checkpoints_json(const CheckpointSweep& sweep);
std::string checkpoints_plot(const CheckpointSweep& sweep);

}  // namespace muster
