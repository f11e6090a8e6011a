#pragma once
#include <cstdint>
#include <vector>

#include "muster/core/int128.hpp"

namespace muster {

/// A distribution in five exact numbers, all in billionths of the unit that reports use: nanoseconds
/// for times, and 10^-9 for ratios. The mean is rounded to the nearest; percentiles are nearest rank,
/// so each is a value that occurred.
struct Statistics {
  std::uint64_t count = 0;
  std::int64_t mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
};

/// Of values that are not negative, which it may reorder. All zero if there are none.
Statistics statistics(std::vector<std::int64_t>& values);

/// The nearest rank of the `percent`th percentile among `count` values, from 0. Requires count > 0.
constexpr std::size_t nearest_rank(std::size_t count, unsigned percent) {
  return (count * percent + 99) / 100 - 1;
}

}  // namespace muster
