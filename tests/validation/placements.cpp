// What docs/validation.md claims of the order of placements: as measured, rounded down.

#include <map>

#include "catch.hpp"
#include "muster/io/calibration.hpp"
#include "validation/published.hpp"

using namespace muster;
using namespace muster::test;

TEST_CASE("published placements are put in order") {
  std::map<std::string, PlacementOrder> by_series;
  for (const PlacementOrder& order : published_orders(load_calibration("published")))
    by_series[order.series] = order;
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
