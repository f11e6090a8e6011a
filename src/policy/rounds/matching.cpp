#include "matching.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/core/check.hpp"

namespace muster::rounds {
namespace {

/// What is smaller, of numbers around 1, is an error of the arithmetic.
constexpr double kNothing = 1e-9;
/// By which two halves of a job are told apart from each other.
constexpr double kSame = 1e-6;

/// The position from the last, from 1 on, of what comes behind so many GPUs.
std::size_t position(double filled, double gpus) {
  return static_cast<std::size_t>((filled + kNothing) / gpus) + 1;
}

}  // namespace

Matching::Matching(const Contest& contest) : contest_(contest), program_(rows()) {
  known_.resize(contest.jobs.size() * places_of_a_job_);
}

/// First the positions of each type, then the jobs.
LinearProgram Matching::rows() {
  LinearProgram program;
  std::vector<double> parts(contest_.jobs.size(), 0);
  for (std::size_t t = 0; t < contest_.types(); ++t) {
    first_row_.push_back(places_of_a_job_);
    double asked = 0;
    for (std::size_t j = 0; j < contest_.jobs.size(); ++j) {
      const Contender& c = contest_.jobs[j];
      if (!contest_.runs_on(c, t)) continue;
      asked += c.gpus;
      longest_ = std::max(longest_, c.left / c.speed[t]);
      parts[j] = 1;
    }
    // So many may stand behind each other.
    const auto most = static_cast<std::size_t>(asked > 0 ? std::ceil(asked / contest_.gpus[t]) : 0);
    for (std::size_t k = 0; k < most; ++k) program.row(-kInfinite, contest_.gpus[t], {});
    places_of_a_job_ += most;
  }
  first_row_.push_back(places_of_a_job_);
  for (const double all : parts) program.row(all, all, {});
  return program;
}

void Matching::add(std::size_t job, std::size_t type, std::size_t from_last) {
  if (from_last < 1 || from_last > depth(type) || known(job, type, from_last)) return;
  known_[job * places_of_a_job_ + row(type, from_last)] = true;
  places_.push_back({job, type, from_last});
  program_.column(-static_cast<double>(from_last) * time(job, type),
                  {{static_cast<int>(row(type, from_last)), contest_.jobs[job].gpus},
                   {static_cast<int>(places_of_a_job_ + job), 1}});
}

/// Jobs, longest per GPU first.
std::vector<std::size_t> Matching::from_last() const {
  std::vector<double> key(contest_.jobs.size(), kInfinite);
  for (std::size_t j = 0; j < key.size(); ++j)
    for (std::size_t t = 0; t < contest_.types(); ++t)
      if (contest_.runs_on(contest_.jobs[j], t))
        key[j] = std::min(key[j], time(j, t) / contest_.jobs[j].gpus);
  std::vector<std::size_t> order(key.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key[a] > key[b]; });
  return order;
}

/// Each where it costs least in front of those longer than itself.
void Matching::guess() {
  std::vector<double> filled(contest_.types(), 0);
  std::vector<int> full;
  std::vector<Place> about;
  for (const std::size_t j : from_last()) {
    const Contender& c = contest_.jobs[j];
    std::size_t best = contest_.types();
    double least = kInfinite;
    for (std::size_t t = 0; t < contest_.types(); ++t) {
      if (!contest_.runs_on(c, t)) continue;
      about.push_back({j, t, position(filled[t], contest_.gpus[t])});
      const double cost = (filled[t] / contest_.gpus[t] + 1) * time(j, t);
      if (cost >= least) continue;
      least = cost;
      best = t;
    }
    if (best == contest_.types()) continue;
    std::size_t k = position(filled[best], contest_.gpus[best]);
    filled[best] += c.gpus;
    add(j, best, k);
    for (; static_cast<double>(k) * contest_.gpus[best] < filled[best] - kNothing; ++k) {
      full.push_back(static_cast<int>(row(best, k)));
      add(j, best, k + 1);
    }
    full.push_back(static_cast<int>(places_of_a_job_ + j));
  }
  std::vector<LinearProgram::Column> used(places_.size());
  std::iota(used.begin(), used.end(), 0);
  for (const auto& [job, type, k] : about)
    for (const std::size_t near : {k - 1, k, k + 1}) add(job, type, near);
  program_.begin_with(used, full);
}

/// The place of a job on a type that is worth most at the prices of the solution, of those that are no columns yet; 0 if
/// none is worth more than what it has.
std::size_t Matching::better_place(std::size_t job, std::size_t type) const {
  const double unit = time(job, type);
  const double gpus = contest_.jobs[job].gpus;
  double most = solution_.price[places_of_a_job_ + job] + kNothing;
  std::size_t best = 0;
  for (std::size_t k = 1; k <= depth(type); ++k) {
    const double worth = -static_cast<double>(k) * unit - gpus * solution_.price[row(type, k)];
    if (worth <= most || known(job, type, k)) continue;
    most = worth;
    best = k;
  }
  return best;
}

bool Matching::grow() {
  const std::size_t before = places_.size();
  for (std::size_t j = 0; j < contest_.jobs.size(); ++j)
    for (std::size_t t = 0; t < contest_.types(); ++t)
      if (contest_.runs_on(contest_.jobs[j], t))
        if (const std::size_t k = better_place(j, t); k > 0) add(j, t, k);
  return places_.size() > before;
}

std::vector<Matching::Place> Matching::solve() {
  guess();
  do {
    solution_ = program_.maximise();
    MUSTER_CHECK(solution_.found);
  } while (grow());
  std::vector<std::size_t> of_job(contest_.jobs.size(), SIZE_MAX);  // columns
  for (std::size_t c = 0; c < places_.size(); ++c) {
    if (solution_.x[c] < kSame) continue;
    std::size_t& best = of_job[places_[c].job];
    const double more = best == SIZE_MAX ? 1 : solution_.x[c] - solution_.x[best];
    if (more > kSame || (more > -kSame && places_[c].from_last > places_[best].from_last)) best = c;
  }
  std::vector<Place> out;
  for (const std::size_t c : of_job)
    if (c != SIZE_MAX) out.push_back(places_[c]);
  return out;
}

}  // namespace muster::rounds
