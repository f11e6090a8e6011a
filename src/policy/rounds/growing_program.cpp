#include "growing_program.hpp"

#include <algorithm>
#include <limits>

#include "clp.hpp"

namespace muster::rounds {
namespace {

constexpr int kOptimal = 0;
constexpr double kMaximise = -1;

/// By column, as CLP wants it.
struct Matrix {
  std::vector<CoinBigIndex> begins;
  std::vector<int> rows;
  std::vector<double> values;
};

/// What stands for no bound at all.
double for_clp(double bound) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(bound, -kMost, kMost);
}

}  // namespace

GrowingProgram::GrowingProgram(const LinearProgram& start)
    : clp_(Clp::loaded()),
      model_(clp_.new_model(), clp_.delete_model),
      rows_(start.rows_.size()),
      columns_(start.columns()) {
  std::vector<std::vector<std::pair<int, double>>> by_column(start.costs_.size());
  std::vector<double> lower, upper;
  for (std::size_t r = 0; r < rows_; ++r) {
    lower.push_back(for_clp(start.rows_[r].lower));
    upper.push_back(for_clp(start.rows_[r].upper));
    for (const auto& [c, value] : start.rows_[r].terms)
      by_column[static_cast<std::size_t>(c)].push_back({static_cast<int>(r), value});
  }
  Matrix m{{0}, {}, {}};
  for (const auto& entries : by_column) {
    for (const auto& [r, value] : entries) {
      m.rows.push_back(r);
      m.values.push_back(value);
    }
    m.begins.push_back(static_cast<CoinBigIndex>(m.rows.size()));
  }
  m.rows.push_back(0);  // no address stands for nothing
  m.values.push_back(0);
  clp_.set_log_level(model_.get(), 0);
  clp_.load_problem(model_.get(), columns_, static_cast<int>(rows_), m.begins.data(), m.rows.data(),
                    m.values.data(), nullptr, nullptr, start.costs_.data(), lower.data(),
                    upper.data());
  clp_.set_optimization_direction(model_.get(), kMaximise);
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
  clp_.add_columns(model_.get(), static_cast<int>(costs_.size()), nullptr, nullptr, costs_.data(),
                   begins.data(), row_of_.data(), values_.data());
  costs_.clear();
  begins_.clear();
  row_of_.clear();
  values_.clear();
}

void GrowingProgram::fix(LinearProgram::Column c, double value) {
  hand_over();
  const auto at = static_cast<std::size_t>(c);
  clp_.column_lower(model_.get())[at] = clp_.column_upper(model_.get())[at] = value;
  clp_.objective(model_.get())[at] = 0;
}

void GrowingProgram::begin_with(const std::vector<LinearProgram::Column>& used,
                                const std::vector<int>& full) {
  constexpr unsigned char kBasic = 1, kAtUpper = 2, kAtLower = 3;
  hand_over();
  std::vector<unsigned char> status(static_cast<std::size_t>(columns_), kAtLower);
  status.resize(status.size() + rows_, kBasic);
  for (const LinearProgram::Column c : used) status[static_cast<std::size_t>(c)] = kBasic;
  for (const int row : full)
    status[static_cast<std::size_t>(columns_) + static_cast<std::size_t>(row)] = kAtUpper;
  clp_.copyin_status(model_.get(), status.data());
}

LinearProgram::Solution GrowingProgram::maximise() {
  hand_over();
  clp_.primal(model_.get(), 0);
  LinearProgram::Solution s;
  s.found = clp_.status(model_.get()) == kOptimal;
  if (!s.found) return s;
  const double* x = clp_.col_solution(model_.get());
  const double* price = clp_.row_price(model_.get());
  const double* costs = clp_.obj_coefficients(model_.get());
  s.x.assign(x, x + columns_);
  s.price.assign(price, price + rows_);
  for (std::size_t c = 0; c < s.x.size(); ++c) {
    s.x[c] = std::max(s.x[c], 0.0);
    s.best += costs[c] * s.x[c];
  }
  return s;
}

}  // namespace muster::rounds
