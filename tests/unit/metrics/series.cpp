#include "muster/metrics/series.hpp"

#include <random>

#include "catch.hpp"
#include "unit/ledger/world.hpp"

using namespace muster;
using namespace muster::test;

namespace {

GpuBook::Levels allocated(std::int64_t milli) {
  GpuBook::Levels levels;
  levels.allocated_milli = milli;
  return levels;
}

}  // namespace

TEST_CASE("a stretch is divided at the rows' edges") {
  Series series{4, 10s};
  series.add(at(5s), at(12s), allocated(3));   // row 5-15
  series.add(at(12s), at(27s), allocated(5));  // 3 s of it in row 5-15, 10 in 15-25, 2 in 25-35
  REQUIRE(series.size() == 3);
  CHECK(series.row(0)[Series::held] == Int128{7 * 3 + 3 * 5} * 1'000'000'000);
  CHECK(series.row(1)[Series::held] == Int128{50} * 1'000'000'000);
  CHECK(series.row(2)[Series::held] == Int128{10} * 1'000'000'000);
  CHECK(series.begin_of(2) == at(25s));
  CHECK(series.end_of(0) == at(15s));
  CHECK(series.end_of(2) == at(27s));
}

TEST_CASE("a full series merges neighbours and doubles its width") {
  Series series{4, 1s};
  for (int i = 0; i < 4; ++i) series.add(at(i * 1s), at((i + 1) * 1s), allocated(i + 1));
  CHECK(series.size() == 4);
  series.add(at(4s), at(5s), allocated(10));
  REQUIRE(series.size() == 3);  // 1+2, 3+4, 10
  CHECK(series.width() == 2s);
  CHECK(series.row(0)[Series::held] == 3'000'000'000);
  CHECK(series.row(1)[Series::held] == 7'000'000'000);
  CHECK(series.row(2)[Series::held] == 10'000'000'000);
  CHECK(series.end_of(2) == at(5s));
}

TEST_CASE("merging loses nothing") {
  std::mt19937_64 random{7};
  for (int run = 0; run < 50; ++run) {
    Series series{2 + random() % 9, Duration{static_cast<std::int64_t>(1 + random() % 1000)}};
    SimTime now = at(3s);
    Series::Row sums{};
    for (int i = 0; i < 200; ++i) {
      GpuBook::Levels levels;
      levels.allocated_milli = static_cast<std::int64_t>(random() % 1000);
      for (auto& idle : levels.idle_milli) idle = static_cast<std::int64_t>(random() % 1000);
      levels.running = static_cast<std::int64_t>(random() % 10);
      const SimTime next = now + Duration{static_cast<std::int64_t>(random() % 100'000)};
      series.add(now, next, levels);
      const std::int64_t ns = (next - now).count();
      sums[Series::held] += Int128{levels.allocated_milli} * ns;
      sums[Series::running] += Int128{levels.running} * ns;
      for (std::size_t c = 0; c < kIdleClasses; ++c)
        sums[Series::idle + c] += Int128{levels.idle_milli[c]} * ns;
      now = next;
    }
    Series::Row columns{};
    for (std::size_t i = 0; i < series.size(); ++i) {
      for (std::size_t c = 0; c < Series::columns; ++c) columns[c] += series.row(i)[c];
      if (i > 0) REQUIRE(series.begin_of(i) == series.end_of(i - 1));
    }
    REQUIRE(columns == sums);
    REQUIRE(series.end_of(series.size() - 1) == now);
  }
}

TEST_CASE("a century fits") {
  Series series;
  series.add(at(0s), at(1s), allocated(1));
  series.add(at(1s), at(kLongest), allocated(1));
  CHECK(series.size() <= 4096);
  Int128 sum = 0;
  for (std::size_t i = 0; i < series.size(); ++i) sum += series.row(i)[Series::held];
  CHECK(sum == kLongest.count());
}
