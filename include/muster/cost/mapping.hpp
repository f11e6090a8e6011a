#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/core/registry.hpp"
#include "muster/cost/model.hpp"

namespace muster {

/// The directions in which a plan spreads the ranks.
enum class Axis : std::uint8_t { tp, cp, dp, pp };
inline constexpr std::size_t kAxes = 4;

/// Which rank sits on which GPU: the ranks along the first axis are neighbours, and so on outwards. GPUs are
/// numbered by node, then inside the node.
class Mapping {
 public:
  virtual ~Mapping() = default;
  virtual std::array<Axis, kAxes> innermost_first() const = 0;
};
using MappingRegistry = Registry<Mapping>;

/// The GPUs of a placement in order, and who of them talks to whom.
class RankMap {
 public:
  RankMap(std::span<const Slice> slices, const ParallelPlan& plan, const Mapping& mapping);

  struct Gpu {
    NodeId node;
    std::uint8_t index = 0;
  };
  std::uint32_t gpus() const { return static_cast<std::uint32_t>(gpus_.size()); }
  Gpu gpu(std::uint32_t rank) const { return gpus_[rank]; }

  std::uint32_t size(Axis axis) const { return size_[static_cast<std::size_t>(axis)]; }
  std::uint32_t stride(Axis axis) const { return stride_[static_cast<std::size_t>(axis)]; }

  /// The ranks `first`, `first + stride`, ... `count` of them, as slices in node order.
  std::vector<Slice> slices(std::uint32_t first, std::uint32_t stride, std::uint32_t count) const;
  /// Calls f(first) for the first rank of every group along the axis of `count` ranks `stride` apart.
  template <class F>
  void for_each_group(std::uint32_t stride, std::uint32_t count, F&& f) const {
    for (std::uint32_t block = 0; block < gpus(); block += stride * count)
      for (std::uint32_t first = block; first < block + stride; ++first) f(first);
  }

 private:
  std::vector<Gpu> gpus_;
  std::array<std::uint32_t, kAxes> size_{}, stride_{};
};

}  // namespace muster
