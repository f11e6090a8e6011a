// What docs/validation.md claims of training steps. The limits are what was measured, rounded up: they
// may come down, and go up only with a reason.

#include <cmath>
#include <map>

#include "catch.hpp"
#include "muster/io/calibration.hpp"
#include "validation/published.hpp"

using namespace muster;
using namespace muster::test;

TEST_CASE("published steps are predicted without their own source") {
  const Calibration calibration = load_calibration("published");
  const std::vector<PublishedRow> rows = published_steps(calibration);
  const std::vector<double> errors = left_out_errors(calibration, rows);
  std::map<std::string, std::pair<double, int>> means;
  const auto add = [&](const std::string& name, double error) {
    means[name].first += 100 * std::fabs(error);
    ++means[name].second;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].fits) continue;
    add(rows[i].part == "step" ? "experts" : "dense", errors[i]);
    add(rows[i].source.substr(0, rows[i].source.find(" h")), errors[i]);
  }
  const std::vector<std::pair<const char*, double>> limits{
      {"dense", 10.2},       {"experts", 23},  {"sc21", 3.8},          {"sc21t2", 1.6},
      {"korthikanti", 4.8},  {"vtrain", 9.8},  {"mtnlg", 21.5},        {"mcore", 7.7},
      {"mcore-strong", 2.6}, {"llama3", 13.6}, {"vtrain-single", 10.2}};
  for (const auto& [name, limit] : limits) {
    CAPTURE(name);
    REQUIRE(means.contains(name));
    CHECK(means[name].first / means[name].second < limit);
  }
}
