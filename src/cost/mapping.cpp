#include "muster/cost/mapping.hpp"

#include "muster/core/check.hpp"

namespace muster {

RankMap::RankMap(std::span<const Slice> slices, const ParallelPlan& plan, const Mapping& mapping) {
  for (const Slice& slice : slices)
    for (std::uint32_t k = 0; k < slice.count; ++k)
      for (std::uint8_t g = 0; g < 64; ++g)
        if (slice.gpus >> g & 1) gpus_.push_back({NodeId{slice.first.value + k}, g});
  const auto at = [](Axis axis) { return static_cast<std::size_t>(axis); };
  size_[at(Axis::tp)] = plan.tp;
  size_[at(Axis::cp)] = plan.cp;
  size_[at(Axis::dp)] = plan.dp;
  size_[at(Axis::pp)] = plan.pp;
  std::uint32_t stride = 1;
  for (const Axis axis : mapping.innermost_first()) {
    stride_[at(axis)] = stride;
    stride *= size(axis);
  }
  MUSTER_CHECK(stride == gpus_.size());  // a plan for as many GPUs as there are
}

std::vector<Slice> RankMap::slices(std::uint32_t first, std::uint32_t stride,
                                   std::uint32_t count) const {
  std::vector<Slice> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Gpu gpu = gpus_[first + i * stride];
    const GpuMask bit = GpuMask{1} << gpu.index;
    if (!out.empty() && out.back().first == gpu.node)
      out.back().gpus |= bit;
    else
      out.push_back({gpu.node, 1, bit});
  }
  return out;
}

}  // namespace muster
