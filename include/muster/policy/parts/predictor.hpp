#pragma once
#include <string_view>

#include "muster/core/registry.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// Says how long a job will run, from what it has seen of jobs that have ended. The engine tells it
/// of every end and asks it at every submission: it can't know what has not happened yet.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// `job` has ended, however it ended, after `ran` of work.
  virtual void ended(const Jobs& jobs, JobId job, Duration ran) = 0;
  /// kUnknown: the history says nothing.
  virtual Duration predict(const Jobs& jobs, JobId job) const = 0;
};

using Predictors = Registry<Predictor>;

/// `p` with the predictor that somebody needs, or none: the one chosen, else the one that the order
/// of the queue reads (`of_order`, "" = none), else last_two.
inline Planning with_predictor(Planning p, std::string_view of_order = {}) {
  const bool wanted = p.estimates == Planning::Estimates::predicted || !of_order.empty();
  if (!wanted) p.predictor.clear();
  if (wanted && p.predictor.empty()) p.predictor = of_order.empty() ? "last_two" : of_order;
  return p;
}

}  // namespace muster
