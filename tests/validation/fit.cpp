// Fitting, and leaving a source out.

#include <set>

#include "muster/cost/fit.hpp"
#include "validation/published.hpp"

namespace muster::test {
namespace {

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
  std::vector<FitPoint> points;
  for (const PublishedRow* row : rows)
    points.push_back({row->published, row->weight, row->predict});
  fit(calibration, free_parameters(calibration, part), points);
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
