#include "muster/lab/spares.hpp"

#include <algorithm>

#include "muster/lab/replay.hpp"

namespace muster {
namespace {

double closed_form(const Training& t, std::uint32_t spares) {
  return k_out_of_n(t.nodes, t.nodes + spares, t.node_mttf(), t.mean_repair());
}

struct Shares {
  double up = 0, kept = 0, failures = 0;
};

void judge(SparesSweep& result) {
  const auto& points = result.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!result.enough && points[i].up.mean() >= result.target) result.enough = i;
    if (points[i].per_node.mean() > points[result.pays].per_node.mean()) result.pays = i;
  }
}

}  // namespace

std::optional<std::uint32_t> spares_for(const Training& training, double target) {
  if (closed_form(training, kMostSpares) < target) return std::nullopt;
  std::uint32_t too_few = 0, enough = kMostSpares;  // more of them never do worse
  if (closed_form(training, 0) >= target) return 0;
  while (enough - too_few > 1) {
    const std::uint32_t middle = too_few + (enough - too_few) / 2;
    (closed_form(training, middle) >= target ? enough : too_few) = middle;
  }
  return enough;
}

std::vector<std::uint32_t> spares_to_try(const Training& training, double target) {
  const std::uint32_t most = spares_for(training, target).value_or(16) + 2;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t n = 0; n < most; n += std::max(1U, most / 20)) numbers.push_back(n);
  numbers.push_back(most);
  return numbers;
}

double failures_due(const Training& training, std::uint32_t spares) {
  return (training.nodes + spares) * seconds(training.lasts) /
         (seconds(training.node_mttf()) + seconds(training.mean_repair()));
}

std::optional<SparesSweep> sweep_spares(const Training& training, double target,
                                        std::vector<std::uint32_t> spares,
                                        const SweepOptions& options) {
  SparesSweep result;
  if (spares.empty()) {
    spares = spares_to_try(training, target);
    result.step = spares[1] - spares[0];
  }
  std::sort(spares.begin(), spares.end());
  spares.erase(std::unique(spares.begin(), spares.end()), spares.end());
  const auto seeds = static_cast<std::size_t>(options.seeds);
  std::vector<Shares> shares(spares.size() * seeds);
  const bool whole =
      sweep(spares.size(), options, [&](std::size_t i, std::size_t nth, const ProgressFn& goes_on) {
        Training one = training;
        one.spares = spares[i];
        const Summary s = measure(experiment_of(one, options.first_seed + nth), goes_on);
        shares[i * seeds + nth] = {up_share(one, s), kept_share(one, s), failures_in(s)};
      });
  if (!whole) return std::nullopt;
  result.subject = training_text(training) + ", repaired in " +
                   length_text(training.mean_repair()) + " on average, for " +
                   length_text(training.lasts);
  result.seeds = options.seeds;
  result.target = target;
  result.closed_form = spares_for(training, target);
  for (std::size_t i = 0; i < spares.size(); ++i) {
    SparesPoint point;
    point.spares = spares[i];
    point.expected = closed_form(training, spares[i]);
    const double part = static_cast<double>(training.nodes) / (training.nodes + spares[i]);
    for (std::size_t n = 0; n < seeds; ++n) {
      const Shares& one = shares[i * seeds + n];
      point.up.values.push_back(one.up);
      point.kept.values.push_back(one.kept);
      point.per_node.values.push_back(one.kept * part);
    }
    result.points.push_back(std::move(point));
  }
  for (const Shares& one : shares)
    result.failures += one.failures / static_cast<double>(shares.size());
  judge(result);
  return result;
}

}  // namespace muster
