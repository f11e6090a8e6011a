#include "muster/metrics/statistics.hpp"

#include <algorithm>

namespace muster {

Statistics statistics(std::vector<std::int64_t>& values) {
  Statistics s;
  s.count = values.size();
  if (values.empty()) return s;
  Int128 sum = 0;
  s.max = values.front();
  for (const std::int64_t v : values) {
    sum += v;
    s.max = std::max(s.max, v);
  }
  // Rounded half up, like a person would. Nothing measured here is negative.
  const auto n = static_cast<Int128>(values.size());
  s.mean = static_cast<std::int64_t>((2 * sum + n) / (2 * n));

  // Each selection leaves what is above its rank behind it, so the next one looks only there.
  auto from = values.begin();
  const auto select = [&](unsigned percent) {
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(nearest_rank(values.size(), percent));
    if (at >= from) std::nth_element(from, at, values.end());
    from = at;
    return *at;
  };
  s.p50 = select(50);
  s.p95 = select(95);
  s.p99 = select(99);
  return s;
}

}  // namespace muster
