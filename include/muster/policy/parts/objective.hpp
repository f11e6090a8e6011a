#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "muster/core/registry.hpp"

namespace muster {

/// A job as an objective sees it.
struct Contender {
  double weight = 1;  // its claim, compared with the others'
  double gpus = 1;    // that it holds while it runs, all or none
  /// By type: seconds of its work that it does in one. 0: it does not run there.
  std::vector<double> speed;
  double left = 0;  // seconds of its work
  double age = 0;   // seconds since it was submitted
  /// Seconds that what it has done would have taken with an equal share of the fleet.
  double isolated = 0;
  double deadline = std::numeric_limits<double>::infinity();  // seconds from now
};

/// Who is there, in order of submission, and what there is to be shared.
struct Contest {
  std::vector<Contender> jobs;
  std::vector<double> gpus;   // by type
  std::vector<double> price;  // of a GPU-second, by type
  std::size_t types() const { return gpus.size(); }
  /// Whether `c` has a place on type `t` at all.
  bool runs_on(const Contender& c, std::size_t t) const {
    return c.speed[t] > 0 && c.gpus <= gpus[t];
  }
};

/// Which part of the time each job shall have GPUs of each type, in whole millionths: what is smaller
/// is noise of the arithmetic. For each job they add up to one at most, and for each type, times the GPUs
/// of the jobs, to the GPUs that there are.
class Allocation {
 public:
  static constexpr std::int64_t kAlways = 1'000'000;

  Allocation(std::size_t jobs, std::size_t types) : types_(types), parts_(jobs * types) {}
  std::size_t jobs() const { return types_ == 0 ? 0 : parts_.size() / types_; }
  std::size_t types() const { return types_; }
  std::int64_t part(std::size_t job, std::size_t type) const { return parts_[job * types_ + type]; }
  /// Rounds down, unless `share` is a whole millionth but for what arithmetic does to it.
  void set(std::size_t job, std::size_t type, double share);

 private:
  std::size_t types_;
  std::vector<std::int64_t> parts_;
};

/// Work per second of a job with its part of the allocation.
double throughput(const Contest& contest, const Allocation& a, std::size_t job);
/// Work per second of a job that has a share of all types in proportion to their GPUs, all of the time.
double equal_throughput(const Contest& contest, const Contender& c);
/// Work per second of a job that has the fleet for 1/jobs of the time (Gavel's X^isolated): an n-th of
/// the GPUs of each type, of which its gang makes use for a part of the time.
double isolated_throughput(const Contest& contest, const Contender& c);
/// Work per second on the type that suits it best; 0 if there is none.
double best_speed(const Contest& contest, const Contender& c);

/// What an allocation is good for: fairness, makespan, cost.
class Objective {
 public:
  virtual ~Objective() = default;
  /// A function of the contest alone.
  virtual Allocation allocate(const Contest& contest) = 0;
  /// Whether it goes by Contender::left.
  virtual bool by_estimates() const { return true; }
  /// Whether, on GPUs of one type and without deadlines, it gives who came first all of the time, and nothing to
  /// anybody behind jobs that fill the fleet: then it is shown no more than these.
  virtual bool first_come() const { return false; }
};

using Objectives = Registry<Objective>;

}  // namespace muster
