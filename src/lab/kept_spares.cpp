#include "muster/lab/kept_spares.hpp"

#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/lab/replay.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

/// 0, 1, 2, 4, ... of so many nodes.
std::vector<std::uint32_t> numbers_for(std::uint32_t nodes) {
  std::vector<std::uint32_t> numbers{0};
  for (std::uint32_t n = 1; n <= nodes / 4; n *= 2) numbers.push_back(n);
  return numbers;
}

struct Shares {
  double goodput = 0, ettr = 0, wait_s = 0;
};

Shares shares_of(const Summary& s) {
  return {share(s.useful_gpu_time, s.installed()), s.ettr,
          static_cast<double>(s.all.wait.mean) * 1e-9};
}

ExperimentSpec with_spares(ExperimentSpec spec, std::uint32_t spares, std::uint64_t seed) {
  spec.set("/seed", std::to_string(seed), "--seed");
  spec.set("/failures/spares", std::to_string(spares), "--spares");
  if (!spec.has("/failures/on_failure")) spec.set_text("/failures/on_failure", "swap", "--spares");
  return spec;
}

/// Each seed has the same failures for all numbers.
void judge(KeptSparesSweep& result) {
  const auto& points = result.points;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].goodput.mean() > points[result.best].goodput.mean()) result.best = i;
  for (KeptSparesPoint& point : result.points) {
    const Sample behind = difference(points[result.best].goodput, point.goodput);
    point.tied =
        &point != &points[result.best] && result.seeds > 1 && behind.mean() <= behind.half();
  }
}

}  // namespace

std::optional<KeptSparesSweep> sweep_kept_spares(const ExperimentSpec& experiment,
                                                 std::vector<std::uint32_t> spares,
                                                 const SweepOptions& options) {
  const Experiment base = experiment.load();
  if (!base.engine.outages)
    throw InputError("/failures", "nothing of this experiment fails, so nobody needs a spare",
                     "--set /failures/law=exponential --set /failures/rate=6.5");
  if (spares.empty()) spares = numbers_for(static_cast<std::uint32_t>(base.fleet.nodes.size()));
  std::sort(spares.begin(), spares.end());
  spares.erase(std::unique(spares.begin(), spares.end()), spares.end());
  static_cast<void>(
      with_spares(experiment, spares.back(), options.first_seed).load(base.fleet, base.trace));
  const auto seeds = static_cast<std::size_t>(options.seeds);
  std::vector<Shares> shares(spares.size() * seeds);
  const bool whole =
      sweep(spares.size(), options, [&](std::size_t i, std::size_t nth, const ProgressFn& goes_on) {
        const ExperimentSpec one = with_spares(experiment, spares[i], options.first_seed + nth);
        shares[i * seeds + nth] = shares_of(measure(one.load(base.fleet, base.trace), goes_on));
      });
  if (!whole) return std::nullopt;
  KeptSparesSweep result;
  result.subject = base.name + ": " + count_text(base.trace.workload.size(), "job") + " on the " +
                   count_text(base.fleet.nodes.size(), "node") + " of " + base.fleet.name +
                   ", some of which are kept as spares";
  result.seeds = options.seeds;
  for (std::size_t i = 0; i < spares.size(); ++i) {
    KeptSparesPoint point;
    point.spares = spares[i];
    for (std::size_t n = 0; n < seeds; ++n) {
      const Shares& one = shares[i * seeds + n];
      point.goodput.values.push_back(one.goodput);
      point.ettr.values.push_back(one.ettr);
      point.wait_s.values.push_back(one.wait_s);
    }
    result.points.push_back(std::move(point));
  }
  judge(result);
  return result;
}

}  // namespace muster
