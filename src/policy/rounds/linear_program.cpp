#include "linear_program.hpp"

#include "growing_program.hpp"

namespace muster::rounds {

LinearProgram::Column LinearProgram::column(double cost) {
  costs_.push_back(cost);
  return columns() - 1;
}

int LinearProgram::row(double lower, double upper, Terms terms) {
  rows_.push_back({lower, upper, std::move(terms)});
  return static_cast<int>(rows_.size()) - 1;
}

LinearProgram::Solution LinearProgram::maximise() const { return GrowingProgram{*this}.maximise(); }

}  // namespace muster::rounds
