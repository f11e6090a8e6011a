#pragma once
#include <limits>
#include <utility>
#include <vector>

namespace muster::rounds {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// maximise cost x, subject to lower <= A x <= upper and x >= 0. Solved by COIN-OR's CLP, from nothing and
/// on one thread, so that the answer depends on the program alone.
class LinearProgram {
 public:
  using Column = int;
  using Terms = std::vector<std::pair<Column, double>>;

  Column column(double cost);
  void set_cost(Column c, double cost) { costs_[static_cast<std::size_t>(c)] = cost; }
  /// Returns its number, by which Solution::price is indexed.
  int row(double lower, double upper, Terms terms);
  int columns() const { return static_cast<int>(costs_.size()); }

  struct Solution {
    bool found = false;         // there is a best x
    std::vector<double> x;      // by column, none below 0
    std::vector<double> price;  // by row: what the best cost would change by
    double best = 0;
  };
  Solution maximise() const;

 private:
  friend class GrowingProgram;
  struct Row {
    double lower, upper;
    Terms terms;
  };
  std::vector<double> costs_;
  std::vector<Row> rows_;
};

}  // namespace muster::rounds
