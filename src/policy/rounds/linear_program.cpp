#include "linear_program.hpp"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <memory>

#include "muster/core/check.hpp"

namespace muster::rounds {
namespace {

constexpr int kOptimal = 0;

/// By column, as CLP wants it.
struct Matrix {
  std::vector<CoinBigIndex> begins;
  std::vector<int> rows;
  std::vector<double> values;
};

}  // namespace

double for_clp(double bound) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(bound, -kMost, kMost);
}

LinearProgram::Solution solution_of(void* clp, int columns, std::size_t rows) {
  LinearProgram::Solution s;
  s.found = Clp_status(clp) == kOptimal;
  if (!s.found) return s;
  const double* x = Clp_getColSolution(clp);
  const double* price = Clp_getRowPrice(clp);
  const double* costs = Clp_getObjCoefficients(clp);
  s.x.assign(x, x + columns);
  s.price.assign(price, price + rows);
  for (std::size_t c = 0; c < s.x.size(); ++c) {
    s.x[c] = std::max(s.x[c], 0.0);
    s.best += costs[c] * s.x[c];
  }
  return s;
}

LinearProgram::Column LinearProgram::column(double cost) {
  costs_.push_back(cost);
  return columns() - 1;
}

int LinearProgram::row(double lower, double upper, Terms terms) {
  rows_.push_back({lower, upper, std::move(terms)});
  return static_cast<int>(rows_.size()) - 1;
}

LinearProgram::Solution LinearProgram::maximise() const {
  std::vector<std::vector<std::pair<int, double>>> by_column(costs_.size());
  std::vector<double> lower, upper;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    lower.push_back(for_clp(rows_[r].lower));
    upper.push_back(for_clp(rows_[r].upper));
    for (const auto& [c, value] : rows_[r].terms)
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
  const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> clp(Clp_newModel(), Clp_deleteModel);
  Clp_setLogLevel(clp.get(), 0);
  Clp_loadProblem(clp.get(), columns(), static_cast<int>(rows_.size()), m.begins.data(),
                  m.rows.data(), m.values.data(), nullptr, nullptr, costs_.data(), lower.data(),
                  upper.data());
  Clp_setOptimizationDirection(clp.get(), kMaximise);
  Clp_primal(clp.get(), 0);
  return solution_of(clp.get(), columns(), rows_.size());
}

}  // namespace muster::rounds
