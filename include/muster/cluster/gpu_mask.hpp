#pragma once
#include <bit>
#include <cstdint>
#include <span>

#include "muster/core/id.hpp"
#include "muster/topology/mig.hpp"

namespace muster {

/// A set of GPUs inside one node, one bit each. Of a node in MIG mode, a set of slots: GPU g has bits 8g
/// to 8g + 7.
using GpuMask = std::uint64_t;

constexpr std::uint32_t count(GpuMask m) { return static_cast<std::uint32_t>(std::popcount(m)); }
constexpr GpuMask first_gpus(std::uint32_t n) {
  return n >= 64 ? ~GpuMask{0} : (GpuMask{1} << n) - 1;
}

/// The `n` lowest-numbered GPUs of `m`. Requires n <= count(m).
constexpr GpuMask lowest(GpuMask m, std::uint32_t n) {
  if (n == count(m)) return m;
  GpuMask taken = 0;
  for (; n > 0; --n) {
    const GpuMask bit = m & (~m + 1);
    taken |= bit;
    m ^= bit;
  }
  return taken;
}

/// The slots of GPU `g` in the mask of a node in MIG mode.
constexpr SlotMask slots_of(GpuMask m, std::uint32_t g) {
  return static_cast<SlotMask>(m >> (g * kMigSlots));
}

/// Where a MIG instance is.
struct InstancePlace {
  NodeId node;
  std::uint32_t gpu = 0;
  std::uint32_t start = 0;
  MigId profile = 0;
};

/// The same GPUs of each of `count` consecutive nodes. A placement is a list of slices in node
/// order; a thousand whole nodes side by side are one slice.
struct Slice {
  NodeId first;
  std::uint32_t count = 1;
  GpuMask gpus = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};

/// GPUs that `slices` hold in all.
constexpr std::uint32_t gpus_in(std::span<const Slice> slices) {
  std::uint32_t n = 0;
  for (const Slice& s : slices) n += count(s.gpus) * s.count;
  return n;
}

}  // namespace muster
