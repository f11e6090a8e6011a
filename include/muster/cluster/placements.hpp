#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/core/id.hpp"

namespace muster {

/// Where each job sits. Slices live in one pool whose blocks are recycled by size, so starting a
/// job allocates nothing once the pool is warm.
class Placements {
 public:
  explicit Placements(std::size_t jobs) : blocks_(jobs) {}

  std::span<const Slice> of(JobId j) const {
    return {pool_.data() + blocks_[j].begin, blocks_[j].size};
  }

  /// It will be asked for soon: a job that ran long is in no cache any more.
  void expect(JobId j) const { __builtin_prefetch(&blocks_[j]); }

  /// `slices` may not point into this pool.
  void assign(JobId j, std::span<const Slice> slices) {
    const std::size_t cls = size_class(slices.size());
    std::uint32_t begin;
    if (free_[cls].empty()) {
      begin = static_cast<std::uint32_t>(pool_.size());
      pool_.resize(pool_.size() + (std::size_t{1} << cls));
    } else {
      begin = free_[cls].back();
      free_[cls].pop_back();
    }
    std::copy(slices.begin(), slices.end(), pool_.begin() + begin);
    blocks_[j] = {begin, static_cast<std::uint32_t>(slices.size())};
  }

  void recycle(JobId j) {
    if (blocks_[j].size == 0) return;
    free_[size_class(blocks_[j].size)].push_back(blocks_[j].begin);
    blocks_[j].size = 0;
  }

 private:
  static std::size_t size_class(std::size_t n) {
    return static_cast<std::size_t>(std::bit_width(n - 1));
  }
  struct Block {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  std::vector<Slice> pool_;
  std::array<std::vector<std::uint32_t>, 33> free_;
  IdVector<JobId, Block> blocks_;
};

}  // namespace muster
