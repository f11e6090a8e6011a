// What docs/validation.md claims of the order of placements: as measured, rounded down.

#include <map>

#include "catch.hpp"
#include "muster/io/calibration.hpp"
#include "validation/published.hpp"

using namespace muster;
using namespace muster::test;

TEST_CASE("published placements are put in order") {
  std::map<std::string, PlacementOrder> by_series;
  for (const PlacementSeries& series : published_orders(load_calibration("published")))
    by_series[series.series] = series.apart;
  const std::vector<std::pair<const char*, double>> shares{{"morphling-a800-llama7", 1},
                                                           {"morphling-a800-llama30", 1},
                                                           {"morphling-a800-gpt2", 0.99},
                                                           {"morphling-a800-bert", 0.92},
                                                           {"morphling-a800-roberta", 0.89}};
  for (const auto& [series, share] : shares) {
    CAPTURE(series);
    REQUIRE(by_series.contains(series));
    CHECK(by_series[series].pairs > 0);
    CHECK(by_series[series].share() >= share);
  }
}

TEST_CASE("Pollux' placements: not even whoever knows all times puts 95 % of them in order") {
  for (const PlacementSeries& series : published_orders(load_calibration("published"))) {
    if (!series.series.starts_with("pollux")) continue;
    CAPTURE(series.series);
    REQUIRE(series.apart.pairs > 500);
    CHECK(series.all.at_best < 0.75 * series.all.pairs);
    CHECK(series.apart.at_best < 0.88 * series.apart.pairs);
    CHECK(series.apart.at_best > 0.81 * series.apart.pairs);
    CHECK(series.apart.right < series.apart.at_best);
    CHECK(series.spread > 0.08);
    CHECK(series.beyond.pairs < series.apart.pairs / 2);
    CHECK(series.beyond.at_best < 0.96 * series.beyond.pairs);
  }
}
