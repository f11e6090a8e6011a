// Fitting, and leaving a source out.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "validation/published.hpp"

namespace muster::test {
namespace {

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

std::vector<double*> free_parameters(Calibration& calibration, const std::string& part) {
  std::vector<double*> out;
  walk_parameters(calibration, [&](const std::string& path, double& value, std::string_view) {
    if (path.starts_with(part + "/") && calibration.source(path).starts_with("fit: "))
      out.push_back(&value);
  });
  return out;
}

}  // namespace

double PublishedRow::error(const Calibration& calibration) const {
  return predict(calibration) / published - 1;
}

void fit_part(Calibration& calibration, const std::string& part,
              const std::vector<const PublishedRow*>& rows) {
  const std::vector<double*> free = free_parameters(calibration, part);
  if (free.empty() || rows.empty()) return;
  const auto set = [&](const Point& logs) {
    for (std::size_t i = 0; i < free.size(); ++i) *free[i] = std::exp(logs[i]);
  };
  const Loss loss = [&](const Point& logs) {
    set(logs);
    double sum = 0, weights = 0;
    for (const PublishedRow* row : rows) {
      sum += row->weight * std::fabs(std::log(row->predict(calibration) / row->published));
      weights += row->weight;
    }
    return sum / weights;
  };
  Vertex best;
  for (const double* value : free) best.at.push_back(std::log(*value));
  best.loss = loss(best.at);
  for (const double size : {0.3, -0.2, 0.1, -0.05}) {
    const Vertex found = nelder_mead(best, size, loss);
    if (found.loss < best.loss) best = found;
  }
  set(best.at);
}

Calibration fitted(Calibration calibration, std::span<const PublishedRow> rows,
                   const std::string& left_out) {
  std::set<std::string> parts;
  for (const PublishedRow& row : rows) parts.insert(row.part);
  for (const std::string& part : parts) {
    std::vector<const PublishedRow*> own;
    for (const PublishedRow& row : rows)
      if (row.part == part && row.fits && row.source != left_out) own.push_back(&row);
    fit_part(calibration, part, own);
  }
  return calibration;
}

std::vector<double> left_out_errors(const Calibration& calibration,
                                    std::span<const PublishedRow> rows) {
  std::vector<double> errors(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = rows[i].error(calibration);
  for (const std::string& source : sources(rows)) {
    const Calibration without = fitted(calibration, rows, source);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].fits && rows[i].source == source) errors[i] = rows[i].error(without);
  }
  return errors;
}

std::vector<std::string> sources(std::span<const PublishedRow> rows) {
  std::set<std::string> out;
  for (const PublishedRow& row : rows)
    if (row.fits) out.insert(row.source);
  return {out.begin(), out.end()};
}

}  // namespace muster::test
