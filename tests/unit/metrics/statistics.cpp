#include "muster/metrics/statistics.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"

using namespace muster;

TEST_CASE("percentiles are by nearest rank, so they occurred") {
  std::vector<std::int64_t> values;
  for (std::int64_t v = 100; v >= 1; --v) values.push_back(v);
  const Statistics s = statistics(values);
  CHECK(s.count == 100);
  CHECK(s.p50 == 50);
  CHECK(s.p95 == 95);
  CHECK(s.p99 == 99);
  CHECK(s.max == 100);
  CHECK(s.mean == 51);  // 50.5, rounded to the nearest, half up
}

TEST_CASE("percentiles of few values") {
  std::vector<std::int64_t> none, one{7}, two{9, 3};
  CHECK(statistics(none).count == 0);
  CHECK(statistics(one).p50 == 7);
  CHECK(statistics(one).p99 == 7);
  const Statistics s = statistics(two);
  CHECK(s.p50 == 3);  // rank ceil(0.5 * 2) = 1
  CHECK(s.p95 == 9);
  CHECK(s.mean == 6);
}

TEST_CASE("sums of long times do not overflow") {
  std::vector<std::int64_t> values(1000, INT64_MAX);
  CHECK(statistics(values).mean == INT64_MAX);
}

TEST_CASE("selection agrees with sorting") {
  std::mt19937_64 random{1};
  for (std::size_t n = 1; n < 300; ++n) {
    std::vector<std::int64_t> values(n);
    for (auto& v : values) v = static_cast<std::int64_t>(random() % 50);
    std::vector<std::int64_t> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const Statistics s = statistics(values);
    const auto rank = [&](double p) {  // the definition, in the words of the textbook
      std::size_t r = 1;
      while (static_cast<double>(r) * 100 < p * static_cast<double>(n)) ++r;
      return sorted[r - 1];
    };
    REQUIRE(s.p50 == rank(50));
    REQUIRE(s.p95 == rank(95));
    REQUIRE(s.p99 == rank(99));
    REQUIRE(s.max == sorted.back());
  }
}

TEST_CASE("selection among many values agrees with sorting, however they are spread") {
  std::mt19937_64 random{2};
  const auto spread =
      GENERATE(as<std::string>{}, "all sizes", "few values", "mostly zero", "close");
  const std::size_t n = GENERATE(5'000, 60'000);
  CAPTURE(spread, n);
  std::vector<std::int64_t> values(n);
  for (auto& v : values) {
    const std::uint64_t drawn = random() >> 1;
    if (spread == "all sizes") v = static_cast<std::int64_t>(drawn >> (random() % 63));
    if (spread == "few values") v = static_cast<std::int64_t>(drawn % 3);
    if (spread == "mostly zero") v = static_cast<std::int64_t>(drawn % 100 < 93 ? 0 : drawn % 7919);
    if (spread == "close") v = INT64_MAX - static_cast<std::int64_t>(drawn % 1000);
  }
  std::vector<std::int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const Statistics s = statistics(values);
  CHECK(s.p50 == sorted[(n + 1) / 2 - 1]);
  CHECK(s.p95 == sorted[(n * 95 + 99) / 100 - 1]);
  CHECK(s.p99 == sorted[(n * 99 + 99) / 100 - 1]);
  CHECK(s.max == sorted.back());
}
