#include "muster/lab/sample.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include "muster/core/check.hpp"

namespace muster {

double student95(std::size_t degrees) {
  constexpr std::array<double, 30> kTable{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                          2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                          2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                          2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  MUSTER_CHECK(degrees > 0);
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  // The normal law's point and the first two terms of Fisher's expansion in 1/n.
  constexpr double z = 1.959964;
  const double n = static_cast<double>(degrees);
  return z + (z * z * z + z) / (4 * n) +
         (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / (96 * n * n);
}

double Sample::mean() const {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Sample::half() const {
  if (values.size() < 2) return 0;
  const double middle = mean();
  double squares = 0;
  for (const double v : values) squares += (v - middle) * (v - middle);
  const double n = static_cast<double>(values.size());
  return student95(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
}

Sample difference(const Sample& a, const Sample& b) {
  MUSTER_CHECK(a.values.size() == b.values.size());
  Sample d;
  for (std::size_t i = 0; i < a.values.size(); ++i) d.values.push_back(a.values[i] - b.values[i]);
  return d;
}

}  // namespace muster
