// Two jobs on the same GPUs.

#include "muster/cluster/cluster.hpp"
#include "muster/core/check.hpp"

namespace muster {

void Cluster::pack(std::span<const Slice> slices) {
  packs_ = true;
  for (const Slice& s : slices)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      GpuMask& twice = twice_[n];
      MUSTER_CHECK((idle_on(NodeId{n}) & s.gpus) == 0 && (twice & s.gpus) == 0);
      twice |= s.gpus;
    }
}

bool Cluster::held_twice(const Slice& s) const {
  const auto it = twice_.find(s.first.value);
  return it != twice_.end() && (it->second & s.gpus) != 0;
}

/// One of two jobs goes: the other one has the GPUs. False if there is no other one.
bool Cluster::unpack(std::span<const Slice> slices) {
  if (!held_twice(slices[0])) return false;
  for (const Slice& s : slices)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      const auto it = twice_.find(n);
      MUSTER_CHECK(it != twice_.end() && (it->second & s.gpus) == s.gpus);
      it->second &= ~s.gpus;
      if (it->second == 0) twice_.erase(it);
    }
  return true;
}

}  // namespace muster
