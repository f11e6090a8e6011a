#include "growing_program.hpp"

#include <coin/Clp_C_Interface.h>

namespace muster::rounds {

GrowingProgram::GrowingProgram(const std::vector<Row>& rows)
    : clp_(Clp_newModel(), Clp_deleteModel), rows_(rows.size()) {
  std::vector<double> lower, upper;
  for (const Row& row : rows) {
    lower.push_back(for_clp(row.lower));
    upper.push_back(for_clp(row.upper));
  }
  const CoinBigIndex begin = 0;
  const int row = 0;
  const double value = 0;
  Clp_setLogLevel(clp_.get(), 0);
  Clp_loadProblem(clp_.get(), 0, static_cast<int>(rows_), &begin, &row, &value, nullptr, nullptr,
                  nullptr, lower.data(), upper.data());
  Clp_setOptimizationDirection(clp_.get(), kMaximise);
}

LinearProgram::Column GrowingProgram::column(double cost,
                                             const std::vector<std::pair<int, double>>& terms) {
  costs_.push_back(cost);
  begins_.push_back(static_cast<int>(row_of_.size()));
  for (const auto& [row, value] : terms) {
    row_of_.push_back(row);
    values_.push_back(value);
  }
  return columns_++;
}

void GrowingProgram::hand_over() {
  if (costs_.empty()) return;
  std::vector<CoinBigIndex> begins(begins_.begin(), begins_.end());
  begins.push_back(static_cast<CoinBigIndex>(row_of_.size()));
  Clp_addColumns(clp_.get(), static_cast<int>(costs_.size()), nullptr, nullptr, costs_.data(),
                 begins.data(), row_of_.data(), values_.data());
  costs_.clear();
  begins_.clear();
  row_of_.clear();
  values_.clear();
}

void GrowingProgram::begin_with(const std::vector<LinearProgram::Column>& used,
                                const std::vector<int>& full) {
  constexpr unsigned char kBasic = 1, kAtUpper = 2, kAtLower = 3;
  hand_over();
  std::vector<unsigned char> status(static_cast<std::size_t>(columns_), kAtLower);
  status.resize(status.size() + rows_, kBasic);
  for (const LinearProgram::Column c : used) status[static_cast<std::size_t>(c)] = kBasic;
  for (const int row : full) status[static_cast<std::size_t>(columns_ + row)] = kAtUpper;
  Clp_copyinStatus(clp_.get(), status.data());
}

LinearProgram::Solution GrowingProgram::maximise() {
  hand_over();
  Clp_primal(clp_.get(), 0);
  return solution_of(clp_.get(), columns_, rows_);
}

}  // namespace muster::rounds
