#include "muster/lab/spares.hpp"

#include <algorithm>

#include "muster/lab/replay.hpp"

namespace muster {
namespace {

double closed_form(const Training& t, std::uint32_t spares) {
  return k_out_of_n(t.nodes, t.nodes + spares, t.node_mttf(), t.mean_repair());
}

/// About 20 numbers from none to two more than the closed form asks for, `step` apart.
std::vector<std::uint32_t> numbers_for(const Training& training, double target,
                                       std::uint32_t& step) {
  const std::uint32_t most = spares_for(training, target).value_or(16) + 2;
  step = std::max(1U, most / 20);
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t n = 0; n < most; n += step) numbers.push_back(n);
  numbers.push_back(most);
  return numbers;
}

struct Shares {
  double up = 0, kept = 0;
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
  for (std::uint32_t spares = 0; spares <= kMostSpares; ++spares)
    if (closed_form(training, spares) >= target) return spares;
  return std::nullopt;
}

std::optional<SparesSweep> sweep_spares(const Training& training, double target,
                                        std::vector<std::uint32_t> spares,
                                        const SweepOptions& options) {
  SparesSweep result;
  if (spares.empty()) spares = numbers_for(training, target, result.step);
  std::sort(spares.begin(), spares.end());
  spares.erase(std::unique(spares.begin(), spares.end()), spares.end());
  const auto seeds = static_cast<std::size_t>(options.seeds);
  std::vector<Shares> shares(spares.size() * seeds);
  const bool whole =
      sweep(spares.size(), options, [&](std::size_t i, std::size_t nth, const ProgressFn& goes_on) {
        Training one = training;
        one.spares = spares[i];
        const Summary s = measure(experiment_of(one, options.first_seed + nth), goes_on);
        shares[i * seeds + nth] = {up_share(one, s), kept_share(one, s)};
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
  judge(result);
  return result;
}

}  // namespace muster
