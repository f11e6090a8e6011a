#pragma once
#include <vector>

#include "growing_program.hpp"
#include "muster/policy/parts/objective.hpp"

namespace muster::rounds {

/// AlloX' matching of jobs and places: k-th from the last on the machines of a type costs a job k x its time there, and
/// it takes as many places as it has GPUs. It is a program with a column for each job, type and k, which are as many as
/// jobs squared and most of them of no use: where a job stands on a type, its time says. So the program begins with the
/// places about those of a schedule that is easily made, and grows by the best place that each job has at the prices of
/// its solution, until nobody has a better one than it got. Then it is the best of the whole program.
class Matching {
 public:
  struct Place {
    std::size_t job, type, from_last;
  };

  explicit Matching(const Contest& contest);
  /// The place where each job that has any has most of itself; of equals the one most waited for.
  std::vector<Place> solve();
  /// The sum of completion times in units of the longest job, after solve().
  double cost() const { return -solution_.best; }

 private:
  double time(std::size_t job, std::size_t type) const {
    const Contender& c = contest_.jobs[job];
    return c.left / c.speed[type] / longest_;
  }
  std::size_t row(std::size_t type, std::size_t from_last) const {
    return first_row_[type] + from_last - 1;
  }
  std::size_t depth(std::size_t type) const { return first_row_[type + 1] - first_row_[type]; }
  LinearProgram rows();
  bool known(std::size_t job, std::size_t type, std::size_t from_last) const {
    return known_[job * places_of_a_job_ + row(type, from_last)];
  }
  void add(std::size_t job, std::size_t type, std::size_t from_last);
  std::vector<std::size_t> from_last() const;
  void guess();
  bool grow();
  std::size_t better_place(std::size_t job, std::size_t type) const;

  const Contest& contest_;
  double longest_ = 0;                  // CLP wants numbers around 1
  std::vector<std::size_t> first_row_;  // by type, and one more
  std::size_t places_of_a_job_ = 0;
  GrowingProgram program_;
  std::vector<Place> places_;  // by column
  std::vector<bool> known_;    // which of all are columns
  LinearProgram::Solution solution_;
};

}  // namespace muster::rounds
