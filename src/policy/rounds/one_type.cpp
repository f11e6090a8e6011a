#include "one_type.hpp"

#include <algorithm>

namespace muster::rounds {
namespace {

using Order = std::vector<std::size_t>;  // of jobs

std::vector<Order> by_type(const Contest& contest) {
  std::vector<Order> all(contest.types());
  for (std::size_t j = 0; j < contest.jobs.size(); ++j)
    if (const std::size_t t = type_of(contest, contest.jobs[j]); t != kNowhere) all[t].push_back(j);
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
  std::vector<Order> all = by_type(contest);
  for (std::size_t t = 0; t < all.size(); ++t) {
    Order& jobs = all[t];
    std::stable_sort(jobs.begin(), jobs.end(), [&](std::size_t x, std::size_t y) {
      return coefficients[x][t] < coefficients[y][t];
    });
    // GPUs that a level of 1 costs those from this one on.
    std::vector<double> rise(jobs.size());
    double sum = 0;
    for (std::size_t i = jobs.size(); i-- > 0;)
      rise[i] = sum += contest.jobs[jobs[i]].gpus / coefficients[jobs[i]][t];
    double left = contest.gpus[t];
    std::size_t i = 0;
    for (; i < jobs.size() && left >= coefficients[jobs[i]][t] * rise[i]; ++i) {
      a.set(jobs[i], t, 1);
      left -= contest.jobs[jobs[i]].gpus;
    }
    if (i == jobs.size()) continue;
    const double level = left / rise[i];
    for (; i < jobs.size(); ++i) a.set(jobs[i], t, level / coefficients[jobs[i]][t]);
  }
  return a;
}

Allocation best_first(const Contest& contest, const Coefficients& coefficients) {
  Allocation a(contest.jobs.size(), contest.types());
  std::vector<Order> all = by_type(contest);
  for (std::size_t t = 0; t < all.size(); ++t) {
    const auto worth = [&](std::size_t j) { return coefficients[j][t] / contest.jobs[j].gpus; };
    std::stable_sort(all[t].begin(), all[t].end(),
                     [&](std::size_t x, std::size_t y) { return worth(x) > worth(y); });
    double left = contest.gpus[t];
    for (const std::size_t j : all[t]) {
      if (left <= 0 || coefficients[j][t] <= 0) break;
      const double gpus = contest.jobs[j].gpus;
      a.set(j, t, std::min(1.0, left / gpus));
      left -= gpus;
    }
  }
  return a;
}

}  // namespace muster::rounds
