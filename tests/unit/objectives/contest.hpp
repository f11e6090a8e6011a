#pragma once
#include <utility>

#include "catch.hpp"
#include "muster/policy/parts/objective.hpp"

namespace muster::test {

inline Contender contender(std::vector<double> speed, double gpus = 1, double left = 100) {
  Contender c;
  c.speed = std::move(speed);
  c.gpus = gpus;
  c.left = left;
  return c;
}

/// Shares are rounded down to millionths.
inline Approx near(double value, double within = 2e-6) { return Approx(value).margin(within); }

inline Contest contest(std::vector<double> gpus, std::vector<Contender> jobs) {
  Contest c;
  c.price.assign(gpus.size(), 1);
  c.gpus = std::move(gpus);
  c.jobs = std::move(jobs);
  return c;
}

inline Allocation allocate(const std::string& objective, const Contest& c) {
  return Objectives::all().at(objective).make()->allocate(c);
}

inline double share(const Allocation& a, std::size_t job, std::size_t type) {
  return static_cast<double>(a.part(job, type)) / Allocation::kAlways;
}

/// What is wrong with an allocation whoever made it; "" if nothing.
inline std::string wrong_with(const Contest& c, const Allocation& a) {
  std::string said;
  for (std::size_t j = 0; j < c.jobs.size(); ++j) {
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < c.types(); ++t) {
      sum += a.part(j, t);
      if (a.part(j, t) > 0 && !c.runs_on(c.jobs[j], t)) said += "runs where it can't; ";
    }
    if (sum > Allocation::kAlways) said += "a job has more than all of the time; ";
  }
  for (std::size_t t = 0; t < c.types(); ++t) {
    double held = 0;
    for (std::size_t j = 0; j < c.jobs.size(); ++j)
      held += static_cast<double>(a.part(j, t)) * c.jobs[j].gpus;
    if (held > c.gpus[t] * static_cast<double>(Allocation::kAlways)) said += "too many GPUs; ";
  }
  return said;
}

}  // namespace muster::test
