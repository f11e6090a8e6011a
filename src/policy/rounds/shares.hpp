#pragma once
#include <vector>

#include "linear_program.hpp"
#include "muster/policy/parts/objective.hpp"

namespace muster::rounds {

/// By job and type: a coefficient of the time that the job has there. Empty for a job: all 0.
using Coefficients = std::vector<std::vector<double>>;

/// A linear program about the shares of classes of jobs: all jobs of a class are alike and get the same,
/// so that a program is as large as the jobs are different, however many they are. Columns that make no
/// sense are left out. It begins with the rows that every allocation keeps to: no job has more than all of
/// the time, no type more than its GPUs.
class ShareProgram {
 public:
  /// `coefficients` only tell which jobs are alike: those of equal rows, gpus and places to run.
  ShareProgram(const Contest& contest, const Coefficients& coefficients);
  /// Every job is a class of its own.
  explicit ShareProgram(const Contest& contest);

  LinearProgram& program() { return program_; }
  std::size_t classes() const { return members_.size(); }
  std::size_t first_of(std::size_t cls) const { return members_[cls].front(); }
  double size_of(std::size_t cls) const { return static_cast<double>(members_[cls].size()); }
  /// The mean over the class of the sum of `row[type]` x share.
  LinearProgram::Terms terms(std::size_t cls, const std::vector<double>& row) const;
  /// Column of the class's share of a type, summed over its members; -1 if there is none.
  LinearProgram::Column column(std::size_t cls, std::size_t type) const {
    return columns_[cls][type];
  }
  Allocation allocation(const std::vector<double>& x) const;

 private:
  void add_class(std::size_t job);
  void add_rows();

  const Contest& contest_;
  LinearProgram program_;
  std::vector<std::vector<std::size_t>> members_;
  std::vector<std::vector<LinearProgram::Column>> columns_;  // by class and type
};

/// The allocation in which the least sum of `coefficients[job][type]` x share is the largest possible; of
/// those the one in which the second least is, and so on: nobody can have more without somebody having less
/// who has no more. At most `levels` such steps; what is left after that goes where the last one put it.
Allocation max_min(const Contest& contest, const Coefficients& coefficients,
                   std::size_t levels = SIZE_MAX);

/// The allocation of largest sum of `coefficients[job][type]` x share.
Allocation max_sum(const Contest& contest, const Coefficients& coefficients);

}  // namespace muster::rounds
