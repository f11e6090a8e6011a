#include "muster/cost/fit.hpp"

#include <algorithm>
#include <cmath>

#include "muster/core/detmath.hpp"

namespace muster {
namespace {

constexpr double kLargest = 20;  // of a logarithm: 5e8, what a calibration file may hold

using Point = std::vector<double>;
using Loss = std::function<double(const Point&)>;

Point along(const Point& from, const Point& to, double by) {
  Point out(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) out[i] = from[i] + by * (to[i] - from[i]);
  return out;
}

struct Vertex {
  Point at;
  double loss = 0;
};

/// Nelder and Mead, Computer Journal 7(4), 1965, from a simplex of this size.
Vertex nelder_mead(const Vertex& start, double size, const Loss& loss) {
  constexpr int kSteps = 1500;
  const std::size_t n = start.at.size();
  std::vector<Vertex> simplex{start};
  for (std::size_t i = 0; i < n; ++i) {
    Point at = start.at;
    at[i] += size;
    simplex.push_back({at, loss(at)});
  }
  const auto by_loss = [](const Vertex& a, const Vertex& b) { return a.loss < b.loss; };
  for (int step = 0; step < kSteps; ++step) {
    std::stable_sort(simplex.begin(), simplex.end(), by_loss);
    if (simplex.back().loss - simplex.front().loss < 1e-9) break;
    Point middle(n);
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t i = 0; i < n; ++i) middle[i] += simplex[v].at[i] / static_cast<double>(n);
    Vertex& worst = simplex.back();
    const auto tried = [&](double by) {
      const Point at = along(middle, worst.at, by);
      return Vertex{at, loss(at)};
    };
    const Vertex reflected = tried(-1);
    if (reflected.loss < simplex.front().loss) {
      const Vertex further = tried(-2);
      worst = further.loss < reflected.loss ? further : reflected;
    } else if (reflected.loss < simplex[n - 1].loss) {
      worst = reflected;
    } else if (const Vertex nearer = tried(0.5); nearer.loss < worst.loss) {
      worst = nearer;
    } else {
      for (std::size_t v = 1; v <= n; ++v) {
        simplex[v].at = along(simplex.front().at, simplex[v].at, 0.5);
        simplex[v].loss = loss(simplex[v].at);
      }
    }
  }
  return *std::min_element(simplex.begin(), simplex.end(), by_loss);
}

}  // namespace

void fit(Calibration& calibration, const std::vector<double*>& free,
         std::span<const FitPoint> points) {
  if (free.empty() || points.empty()) return;
  const auto set = [&](const Point& logs) {
    for (std::size_t i = 0; i < free.size(); ++i)
      *free[i] = detmath::exp(std::clamp(logs[i], -kLargest, kLargest));
  };
  const Loss loss = [&](const Point& logs) {
    set(logs);
    double sum = 0, weights = 0;
    for (const FitPoint& point : points) {
      sum += point.weight * std::fabs(detmath::log(point.predict(calibration) / point.measured));
      weights += point.weight;
    }
    return sum / weights;
  };
  Vertex best;
  for (const double* value : free) best.at.push_back(detmath::log(*value));
  best.loss = loss(best.at);
  for (const double size : {0.3, -0.2, 0.1, -0.05}) {
    const Vertex found = nelder_mead(best, size, loss);
    if (found.loss < best.loss) best = found;
  }
  set(best.at);
}

}  // namespace muster
