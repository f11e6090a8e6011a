#pragma once
#include <optional>
#include <string>
#include <vector>

#include "muster/io/experiment.hpp"
#include "muster/lab/sample.hpp"
#include "muster/lab/sweep.hpp"
#include "muster/metrics/text.hpp"

namespace muster {

/// How the jobs of an experiment fare where so many of its nodes are kept as spares, and not for them.
struct KeptSparesPoint {
  std::uint32_t spares = 0;
  Sample goodput;     // of the installed GPU time, by seed: what spares do not do is missed there
  Sample ettr;        // Outcomes::ettr()
  Sample wait_s;      // mean, until a job's first start
  bool tied = false;  // the seeds cannot tell its goodput from the best
};

struct KeptSparesSweep {
  std::string subject;  // what was run, in words
  std::uint64_t seeds = 0;
  std::vector<KeptSparesPoint> points;  // by number of spares
  std::size_t best = 0;                 // the one with the highest mean goodput
};

/// Replays an experiment with each number of spares, on_failure "swap" unless it says "evict"; none given: 0,
/// 1, 2, 4, ... up to a quarter of the fleet. Nothing if it was interrupted. InputError if nothing of it fails.
std::optional<KeptSparesSweep> sweep_kept_spares(const ExperimentSpec& experiment,
                                                 std::vector<std::uint32_t> spares,
                                                 const SweepOptions& options);

/// The table for a person; a CSV with a row per number; one JSON document; a script for gnuplot.
std::string kept_spares_text(const KeptSparesSweep& sweep, const TextOptions& options);
std::string kept_spares_csv(const KeptSparesSweep& sweep);
std::string kept_spares_json(const KeptSparesSweep& sweep);
std::string kept_spares_plot(const KeptSparesSweep& sweep);

}  // namespace muster
