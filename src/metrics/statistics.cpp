#include "muster/metrics/statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "muster/core/check.hpp"

namespace muster {
namespace {

/// Each power of two is so many classes, as bits.
constexpr unsigned kFine = 6;
constexpr std::size_t kClasses = std::size_t{64 - kFine} << kFine;
constexpr std::size_t kExact = std::size_t{2} << kFine;  // those below are one value each

/// Rises with the value.
std::size_t value_class(std::int64_t value) {
  const std::uint64_t v = static_cast<std::uint64_t>(value);
  const auto coarser =
      static_cast<std::size_t>(std::bit_width(v | kExact / 2)) - std::size_t{kFine + 1};
  return (coarser << kFine) + (v >> coarser);
}

constexpr std::array<unsigned, 3> kPercents{50, 95, 99};
using Percentiles = std::array<std::int64_t, kPercents.size()>;

/// Counts the values by class, and looks again only at those of the classes that it then seeks.
Percentiles by_counting(std::span<const std::int64_t> values) {
  std::vector<std::uint32_t> counts(kClasses);
  for (const std::int64_t v : values) ++counts[value_class(v)];

  struct Sought {
    std::size_t value_class, rank;  // among those alike
    std::vector<std::int64_t> alike;
  };
  std::array<Sought, kPercents.size()> sought;
  std::size_t c = 0, below = 0;
  for (std::size_t i = 0; i < sought.size(); ++i) {
    const std::size_t rank = nearest_rank(values.size(), kPercents[i]);
    for (; below + counts[c] <= rank; ++c) below += counts[c];
    sought[i] = {c, rank - below, {}};
  }
  for (const std::int64_t v : values) {
    const std::size_t of = value_class(v);
    if (of < kExact) continue;
    for (Sought& s : sought)
      if (s.value_class == of) s.alike.push_back(v);
  }
  Percentiles found{};
  for (std::size_t i = 0; i < sought.size(); ++i) {
    Sought& s = sought[i];
    if (s.alike.empty()) {
      found[i] = static_cast<std::int64_t>(s.value_class);
      continue;
    }
    const auto at = s.alike.begin() + static_cast<std::ptrdiff_t>(s.rank);
    std::nth_element(s.alike.begin(), at, s.alike.end());
    found[i] = *at;
  }
  return found;
}

/// Each selection leaves what is above its rank behind it, so the next one looks only there.
Percentiles by_selection(std::vector<std::int64_t>& values) {
  Percentiles found{};
  auto from = values.begin();
  for (std::size_t i = 0; i < kPercents.size(); ++i) {
    const std::size_t rank = nearest_rank(values.size(), kPercents[i]);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
    if (at >= from) std::nth_element(from, at, values.end());
    from = at;
    found[i] = *at;
  }
  return found;
}

}  // namespace

Statistics statistics(std::vector<std::int64_t>& values) {
  Statistics s;
  s.count = values.size();
  if (values.empty()) return s;
  Int128 sum = 0;
  s.max = values.front();
  for (const std::int64_t v : values) {
    MUSTER_CHECK(v >= 0);
    sum += v;
    s.max = std::max(s.max, v);
  }
  // Rounded half up, like a person would.
  const auto n = static_cast<Int128>(values.size());
  s.mean = static_cast<std::int64_t>((2 * sum + n) / (2 * n));

  const bool many = values.size() > kClasses && values.size() <= UINT32_MAX;
  const Percentiles found = many ? by_counting(values) : by_selection(values);
  s.p50 = found[0];
  s.p95 = found[1];
  s.p99 = found[2];
  return s;
}

}  // namespace muster
