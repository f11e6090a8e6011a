#pragma once
#include <cstddef>
#include <vector>

namespace muster {

/// What runs that differ in their seeds say of one number.
struct Sample {
  std::vector<double> values;  // in the order of the seeds

  double mean() const;  // 0 if there are none
  /// Half of the 95 % confidence interval of the mean, by Student's t; 0 for fewer than two.
  double half() const;
};

/// By seed: what two settings differ in where both met the same luck.
Sample difference(const Sample& a, const Sample& b);

/// The two-sided 95 % point of Student's t with so many degrees of freedom, to 0.001.
double student95(std::size_t degrees);

}  // namespace muster
