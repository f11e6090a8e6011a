#include "muster/policy/parts/objective.hpp"

#include <algorithm>
#include <cmath>

namespace muster {

void Allocation::set(std::size_t job, std::size_t type, double share) {
  const double millionths = std::floor(share * static_cast<double>(kAlways) + 0.01);
  parts_[job * types_ + type] =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(millionths), 0, kAlways);
}

double throughput(const Contest& contest, const Allocation& a, std::size_t job) {
  double sum = 0;
  for (std::size_t t = 0; t < contest.types(); ++t)
    sum += contest.jobs[job].speed[t] * static_cast<double>(a.part(job, t));
  return sum / static_cast<double>(Allocation::kAlways);
}

double equal_throughput(const Contest& contest, const Contender& c) {
  double sum = 0, gpus = 0;
  for (std::size_t t = 0; t < contest.types(); ++t) {
    gpus += contest.gpus[t];
    if (contest.runs_on(c, t)) sum += c.speed[t] * contest.gpus[t];
  }
  return sum / gpus;
}

double isolated_throughput(const Contest& contest, const Contender& c) {
  const auto jobs = static_cast<double>(contest.jobs.size());
  double sum = 0, time = 0;
  for (std::size_t t = 0; t < contest.types(); ++t) {
    if (!contest.runs_on(c, t)) continue;
    const double share = contest.gpus[t] / jobs / c.gpus;
    time += share;
    sum += c.speed[t] * share;
  }
  return sum / std::max(time, 1.0);
}

double best_speed(const Contest& contest, const Contender& c) {
  double best = 0;
  for (std::size_t t = 0; t < contest.types(); ++t)
    if (contest.runs_on(c, t)) best = std::max(best, c.speed[t]);
  return best;
}

}  // namespace muster
