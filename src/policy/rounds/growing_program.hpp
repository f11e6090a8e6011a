#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "linear_program.hpp"

namespace muster::rounds {

class Clp;

/// A linear program that is solved more than once: columns are added between solutions, and each solution begins where
/// the last one ended. Which columns are worth adding, the prices of the rows tell.
class GrowingProgram {
 public:
  explicit GrowingProgram(const LinearProgram& start);
  /// With so much of it in these rows.
  LinearProgram::Column column(double cost, const std::vector<std::pair<int, double>>& terms);
  /// From now on it is so much, and worth nothing.
  void fix(LinearProgram::Column c, double value);
  /// The solution to begin with: where these columns make up for it that those rows have no room left. As many columns
  /// are used as rows are full.
  void begin_with(const std::vector<LinearProgram::Column>& used, const std::vector<int>& full);
  LinearProgram::Solution maximise();

 private:
  void hand_over();

  const Clp& clp_;
  std::unique_ptr<void, void (*)(void*)> model_;  // a Clp_Simplex, which is void
  std::size_t rows_;
  int columns_;
  // Columns that CLP has not been told of yet, in its words.
  std::vector<double> costs_, values_;
  std::vector<int> begins_, row_of_;
};

}  // namespace muster::rounds
