#include "muster/metrics/job_line.hpp"

#include <algorithm>

namespace muster {
namespace {

/// GPUs that are in both placements; each is in node order.
std::uint32_t shared(std::span<const Slice> a, std::span<const Slice> b) {
  std::uint32_t gpus = 0;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const std::uint32_t a_end = a[i].first.value + a[i].count;
    const std::uint32_t b_end = b[k].first.value + b[k].count;
    const std::uint32_t first = std::max(a[i].first.value, b[k].first.value);
    const std::uint32_t last = std::min(a_end, b_end);
    if (first < last) gpus += (last - first) * count(a[i].gpus & b[k].gpus);
    if (a_end <= b_end) ++i;
    if (b_end <= a_end) ++k;
  }
  return gpus;
}

}  // namespace

void Reshapes::add(std::span<const Slice> before, std::span<const Slice> after) {
  const std::uint32_t had = gpus_in(before), has = gpus_in(after);
  const std::uint32_t given_up = std::min(had, has) - shared(before, after);
  if (had != has)
    ++resizes;
  else if (given_up > 0)
    ++moves;
  gpus_moved += given_up;
}

}  // namespace muster
