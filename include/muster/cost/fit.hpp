#pragma once
#include <functional>
#include <span>
#include <vector>

#include "muster/cost/calibration.hpp"

namespace muster {

/// A measured time, and what the model says of it; in any unit, the same for both.
struct FitPoint {
  double measured = 0;
  double weight = 1;
  std::function<double(const Calibration&)> predict;
};

/// Sets `free`, numbers above 0 inside `calibration`, so that the weighted mean of
/// |log(predicted / measured)| is small: Nelder and Mead, Computer Journal 7(4), 1965, in the logarithms of
/// the numbers, from where they are, restarted with smaller simplices. No randomness.
void fit(Calibration& calibration, const std::vector<double*>& free,
         std::span<const FitPoint> points);

}  // namespace muster
