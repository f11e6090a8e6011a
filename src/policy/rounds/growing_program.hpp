#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "linear_program.hpp"

namespace muster::rounds {

/// A LinearProgram that is solved before all of its columns are there: rows first, then columns, and each solution
/// begins where the last one ended. Which columns are worth adding, the prices of the rows tell.
class GrowingProgram {
 public:
  struct Row {
    double lower, upper;
  };
  explicit GrowingProgram(const std::vector<Row>& rows);
  /// With so much of it in these rows.
  LinearProgram::Column column(double cost, const std::vector<std::pair<int, double>>& terms);
  /// The solution to begin with: where these columns make up for it that those rows have no room left. As many columns
  /// are used as rows are full.
  void begin_with(const std::vector<LinearProgram::Column>& used, const std::vector<int>& full);
  LinearProgram::Solution maximise();

 private:
  void hand_over();

  std::unique_ptr<void, void (*)(void*)> clp_;  // a Clp_Simplex, which is void
  std::size_t rows_;
  int columns_ = 0;
  // Columns that CLP has not been told of yet, in its words.
  std::vector<double> costs_, values_;
  std::vector<int> begins_, row_of_;
};

}  // namespace muster::rounds
