// What docs/validation.md claims of collectives. The limits are what was measured, rounded up: they
// may come down, and go up only with a reason.

#include <cmath>

#include "catch.hpp"
#include "muster/io/calibration.hpp"
#include "validation/published.hpp"

using namespace muster;
using namespace muster::test;

namespace {

double mean(std::span<const PublishedRow> rows, std::span<const double> errors,
            const std::function<bool(const PublishedRow&)>& wanted) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (wanted(rows[i])) {
      sum += std::fabs(errors[i]);
      ++count;
    }
  REQUIRE(count > 0);
  return 100 * sum / count;
}

}  // namespace

TEST_CASE("published collectives are predicted without their own source") {
  const Calibration calibration = load_calibration("published");
  const std::vector<PublishedRow> rows = published_collectives(calibration);
  const std::vector<double> errors = left_out_errors(calibration, rows);
  const auto fits = [](double mebibytes) {
    return [=](const PublishedRow& row) { return row.fits && row.at_least(mebibytes); };
  };
  CHECK(mean(rows, errors, fits(1)) < 8.1);
  CHECK(mean(rows, errors, fits(64)) < 3.3);
  const auto network = [](const PublishedRow& row) {
    return row.fits && row.part == "network" && row.at_least(1);
  };
  CHECK(mean(rows, errors, network) < 5.1);
  // Another class of network, whose latencies the model doesn't know: only its bandwidth is right.
  const auto efa = [](const PublishedRow& row) {
    return row.series == "mleng-b200-32-efa" && row.at_least(512);
  };
  CHECK(mean(rows, errors, efa) < 1.6);
}

TEST_CASE("the shipped calibration is the fit") {
  const Calibration shipped = load_calibration("published");
  const std::vector<PublishedRow> rows = published_collectives(shipped);
  std::vector<double> before, after;
  const Calibration again = fitted(shipped, rows, "");
  for (const PublishedRow& row : rows) {
    before.push_back(row.error(shipped));
    after.push_back(row.error(again));
  }
  const auto fits = [](const PublishedRow& row) { return row.fits; };
  CHECK(mean(rows, before, fits) < mean(rows, after, fits) + 0.1);
}
