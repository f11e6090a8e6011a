#include "io/results/decimal.hpp"

#include <random>
#include <string>

#include "catch.hpp"

using namespace muster;

namespace {

std::string put(std::uint64_t v) {
  char text[decimal::kLongest];
  return {text, decimal::put(text, v)};
}

}  // namespace

TEST_CASE("numbers of any length as text") {
  for (std::uint64_t v = 0; v < 20'000; ++v) REQUIRE(put(v) == std::to_string(v));
  for (std::uint64_t ten = 1; ten < 1'000'000'000'000; ten *= 10)
    for (const std::uint64_t v : {ten - 1, ten, ten + 1, 9 * ten})
      REQUIRE(put(v) == std::to_string(v));
  std::mt19937_64 random{1};
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t v = random() >> (random() % 64);
    REQUIRE(put(v) == std::to_string(v));
  }
}
