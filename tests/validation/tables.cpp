// The tables of docs/validation.md:   build/release/tests/test_validation "[tables]"
// A new calibration from the rows:    build/release/tests/test_validation "[fit]"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "muster/io/calibration.hpp"
#include "validation/published.hpp"

using namespace muster;
using namespace muster::test;

namespace {

struct Mean {
  double sum = 0;
  int count = 0;
  void add(double error) {
    sum += std::fabs(error);
    ++count;
  }
  std::string text() const { return count == 0 ? "-" : fmt::format("{:.1f}%", 100 * sum / count); }
};

void print_means(std::span<const PublishedRow> rows, std::span<const double> left_out) {
  struct Line {
    Mean all, large;
  };
  std::map<std::string, Line> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].fits || !rows[i].at_least(1)) continue;
    for (const std::string& name :
         {rows[i].part + " without " + rows[i].source, std::string{"~ all"}}) {
      lines[name].all.add(left_out[i]);
      if (rows[i].at_least(64)) lines[name].large.add(left_out[i]);
    }
  }
  fmt::print("\n{:<46} {:>5} {:>9} {:>9}\n", "mean error, left out of the fit", "rows", ">= 1 MiB",
             ">= 64 MiB");
  for (const auto& [name, line] : lines)
    fmt::print("{:<46} {:>5} {:>9} {:>9}\n", name, line.all.count, line.all.text(),
               line.large.text());
}

}  // namespace

TEST_CASE("published collectives, row by row", "[.][tables]") {
  const Calibration calibration = load_calibration("published");
  const std::vector<PublishedRow> rows = published_collectives(calibration);
  const std::vector<double> left_out = left_out_errors(calibration, rows);
  fmt::print("{:<42} {:<36} {:>12} {:>12} {:>8} {:>8}\n", "series", "what", "published us",
             "predicted us", "error", "left out");
  for (std::size_t i = 0; i < rows.size(); ++i)
    fmt::print("{:<42} {:<36} {:>12.1f} {:>12.1f} {:>7.1f}% {:>7.1f}%  {}\n", rows[i].series,
               rows[i].what, rows[i].published, rows[i].predict(calibration),
               100 * rows[i].error(calibration), 100 * left_out[i], rows[i].note);
  print_means(rows, left_out);
}

TEST_CASE("published steps, row by row", "[.][tables][steps]") {
  const Calibration calibration = load_calibration("published");
  const std::vector<PublishedRow> rows = published_steps(calibration);
  const std::vector<double> left_out = left_out_errors(calibration, rows);
  fmt::print("{:<30} {:<36} {:>12} {:>12} {:>8} {:>8}\n", "row", "what", "published s",
             "predicted s", "error", "left out");
  std::map<std::string, Mean> means, fitted_means;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PublishedRow& row = rows[i];
    fmt::print("{:<30} {:<36} {:>12.3f} {:>12.3f} {:>7.1f}% {:>7.1f}%  {}\n", row.series, row.what,
               row.published, row.predict(calibration), 100 * row.error(calibration),
               100 * left_out[i], row.note);
    const std::string name = row.part + " " + row.source + (row.fits ? "" : ", " + row.note);
    means[name].add(left_out[i]);
    fitted_means[name].add(row.error(calibration));
    if (row.fits) means["~ all"].add(left_out[i]);
    if (row.fits) fitted_means["~ all"].add(row.error(calibration));
  }
  fmt::print("\n{:<60} {:>5} {:>9} {:>9}\n", "mean error", "rows", "fitted", "left out");
  for (const auto& [name, mean] : means)
    fmt::print("{:<60} {:>5} {:>9} {:>9}\n", name, mean.count, fitted_means[name].text(),
               mean.text());
}

TEST_CASE("published placements, in order", "[.][tables][placements]") {
  fmt::print("{:<24} {:>20} {:>25} {:>25} {:>9}\n", "", "all pairs", "more than 5 % apart",
             "more than the spread", "spread");
  fmt::print("{:<24} {:>6} {:>6} {:>6}", "series", "pairs", "right", "best");
  for (int i = 0; i < 2; ++i)
    fmt::print(" {:>6} {:>6} {:>4} {:>6}", "pairs", "right", "tie", "best");
  fmt::print("\n");
  const auto per_cent = [](const PlacementOrder& o, int n) {
    return o.pairs ? 100.0 * n / o.pairs : 0;
  };
  for (const PlacementSeries& s : published_orders(load_calibration("published"))) {
    fmt::print("{:<24} {:>6} {:>5.1f}% {:>5.1f}%", s.series, s.all.pairs,
               per_cent(s.all, s.all.right), per_cent(s.all, s.all.at_best));
    for (const PlacementOrder& o : {s.apart, s.beyond})
      fmt::print(" {:>6} {:>5.1f}% {:>3.0f}% {:>5.1f}%", o.pairs, per_cent(o, o.right),
                 per_cent(o, o.alike), per_cent(o, o.at_best));
    fmt::print(" {:>8.1f}%\n", 100 * s.spread);
  }
}

TEST_CASE("a calibration fitted on all published rows", "[.][fit]") {
  const Calibration before = load_calibration("published");
  Calibration after = fitted(before, published_collectives(before), "");
  after = fitted(after, published_steps(after), "");
  walk_parameters(after, [&](const std::string& path, double& value, std::string_view) {
    if (!after.source(path).starts_with("fit: ")) return;
    value = std::stod(fmt::format("{:.4g}", value));
    fmt::print("{:<40} {}\n", path, value);
  });
  std::ofstream(MUSTER_SOURCE_DIR "/configs/calibration/published.json") << calibration_json(after);
}
