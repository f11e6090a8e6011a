#include "one_type.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::rounds {
namespace {

using Order = std::vector<std::pair<double, std::size_t>>;  // jobs behind what they are sorted by

/// The jobs of each type, least `key(job, type)` first, then who came first.
template <class Key>
std::vector<Order> by_type(const Contest& contest, Key key) {
  std::vector<Order> all(contest.types());
  for (std::size_t j = 0; j < contest.jobs.size(); ++j)
    if (const std::size_t t = type_of(contest, contest.jobs[j]); t != kNowhere)
      all[t].emplace_back(key(j, t), j);
  for (Order& jobs : all) std::sort(jobs.begin(), jobs.end());
  return all;
}

}  // namespace

std::size_t type_of(const Contest& contest, const Contender& c) {
  for (std::size_t t = 0; t < contest.types(); ++t)
    if (contest.runs_on(c, t)) return t;
  return kNowhere;
}

bool each_on_one_type(const Contest& contest) {
  if (contest.types() == 1) return true;
  for (const Contender& c : contest.jobs)
    for (std::size_t t = 0, found = 0; t < contest.types(); ++t)
      if (contest.runs_on(c, t) && ++found > 1) return false;
  return true;
}

Allocation level_out(const Contest& contest, const Coefficients& coefficients) {
  Allocation a(contest.jobs.size(), contest.types());
  const std::vector<Order> all =
      by_type(contest, [&](std::size_t j, std::size_t t) { return coefficients[j][t]; });
  for (std::size_t t = 0; t < all.size(); ++t) {
    const Order& jobs = all[t];
    // GPUs that a level of 1 costs those from this one on.
    std::vector<double> rise(jobs.size());
    double sum = 0;
    for (std::size_t i = jobs.size(); i-- > 0;)
      rise[i] = sum += contest.jobs[jobs[i].second].gpus / jobs[i].first;
    double left = contest.gpus[t];
    std::size_t i = 0;
    for (; i < jobs.size() && left >= jobs[i].first * rise[i]; ++i) {
      a.set(jobs[i].second, t, 1);
      left -= contest.jobs[jobs[i].second].gpus;
    }
    if (i == jobs.size()) continue;
    const double level = left / rise[i];
    for (; i < jobs.size(); ++i) a.set(jobs[i].second, t, level / jobs[i].first);
  }
  return a;
}

Allocation best_first(const Contest& contest, const Coefficients& coefficients) {
  Allocation a(contest.jobs.size(), contest.types());
  const std::vector<Order> all = by_type(contest, [&](std::size_t j, std::size_t t) {
    return -coefficients[j][t] / contest.jobs[j].gpus;
  });
  for (std::size_t t = 0; t < all.size(); ++t) {
    double left = contest.gpus[t];
    for (const auto& [cost, j] : all[t]) {
      if (left <= 0 || coefficients[j][t] <= 0) break;
      const double gpus = contest.jobs[j].gpus;
      a.set(j, t, std::min(1.0, left / gpus));
      left -= gpus;
    }
  }
  return a;
}

}  // namespace muster::rounds
