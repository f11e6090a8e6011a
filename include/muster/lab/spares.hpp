#pragma once
#include <optional>
#include <string>
#include <vector>

#include "muster/lab/sample.hpp"
#include "muster/lab/sweep.hpp"
#include "muster/lab/training.hpp"
#include "muster/metrics/text.hpp"

namespace muster {

/// How a training fares on a fleet with so many nodes more than it needs.
struct SparesPoint {
  std::uint32_t spares = 0;
  Sample up;            // share of the time in which it had its nodes
  Sample kept;          // share of the time that was work it kept
  Sample per_node;      // the same, over all nodes of the fleet: what a node of it is worth
  double expected = 0;  // k_out_of_n()
};

struct SparesSweep {
  std::string subject;  // what was run, in words
  std::uint64_t seeds = 0;
  double target = 0;
  std::uint32_t step = 1;             // between the numbers, where nobody named some
  std::vector<SparesPoint> points;    // by number of spares
  std::optional<std::size_t> enough;  // the first whose mean `up` reaches the target
  std::optional<std::uint32_t>
      closed_form;       // spares by k_out_of_n(); nothing: none up to kMostSpares do
  double failures = 0;   // of nodes, in a run on average
  std::size_t pays = 0;  // the one with the highest mean per_node
};

inline constexpr std::uint32_t kMostSpares = 10'000;

/// The fewest spares with which k_out_of_n() reaches `target`; nothing if no number up to kMostSpares does.
std::optional<std::uint32_t> spares_for(const Training& training, double target);

/// From 0 to two more than spares_for(), at most about 20 of them.
std::vector<std::uint32_t> spares_to_try(const Training& training, double target);
/// How many nodes will fail, and be repaired, in one run with so many spares.
double failures_due(const Training& training, std::uint32_t spares);

/// Runs a training with each number of `spares`; none: spares_to_try(). Nothing if it was interrupted.
std::optional<SparesSweep> sweep_spares(const Training& training, double target,
                                        std::vector<std::uint32_t> spares,
                                        const SweepOptions& options);

/// The table for a person; a CSV with a row per number; one JSON document; a script for gnuplot.
std::string spares_text(const SparesSweep& sweep, const TextOptions& options);
std::string spares_csv(const SparesSweep& sweep);
std::string spares_json(const SparesSweep& sweep);
std::string spares_plot(const SparesSweep& sweep);

}  // namespace muster
