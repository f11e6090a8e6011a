#include "muster/cluster/free_index.hpp"

#include <random>
#include <vector>

#include "catch.hpp"

using namespace muster;

TEST_CASE("a free index knows how many nodes have at least so many GPUs free") {
  constexpr std::uint32_t kNodes = 150, kWidest = 8;
  std::mt19937_64 random{1};
  FreeIndex index{kNodes, kWidest};
  std::vector<std::uint32_t> free(kNodes);
  for (std::uint32_t n = 0; n < kNodes; ++n)
    index.insert(n, free[n] = static_cast<std::uint32_t>(random() % (kWidest + 1)));

  const auto check = [&] {
    for (std::uint32_t k = 1; k <= kWidest + 2; ++k) {
      std::uint32_t count = 0;
      for (const std::uint32_t f : free) count += f >= k;
      REQUIRE(index.at_least(k) == count);
    }
  };
  check();
  for (int i = 0; i < 2'000; ++i) {
    const auto to = static_cast<std::uint32_t>(random() % (kWidest + 1));
    const auto n = static_cast<std::uint32_t>(random() % kNodes);
    std::uint32_t last = n + 1;
    if (i % 3 == 0)
      while (last < kNodes && free[last] == free[n]) ++last;
    if (last - n > 1)
      index.move_run(n, last - n, free[n], to);
    else
      index.move(n, free[n], to);
    for (std::uint32_t m = n; m < last; ++m) free[m] = to;
    check();
  }
}
