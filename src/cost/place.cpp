// Who talks to whom when a plan is laid on the GPUs of a placement.

#include <algorithm>

#include "muster/core/check.hpp"
#include "muster/cost/step.hpp"
#include "muster/topology/fabric.hpp"

namespace muster {
namespace {

/// Groups of ranks that do the same at the same time. Alike ones are kept once.
class Groups {
 public:
  Groups(const CostMap& map, const RankMap& ranks, const GpuGroup& job)
      : map_(map), ranks_(ranks), job_(job) {}

  /// `count` ranks that are `stride` apart.
  std::vector<GpuGroup> along(std::uint32_t stride, std::uint32_t count) {
    if (count > 1)
      ranks_.for_each_group(stride, count, [&](std::uint32_t first) { add(first, stride, count); });
    return std::move(distinct_);
  }

  /// Neighbours, two by two.
  std::vector<GpuGroup> pairs(std::uint32_t stride, std::uint32_t count) {
    if (count > 1)
      ranks_.for_each_group(stride, count, [&](std::uint32_t first) {
        for (std::uint32_t i = 0; i + 1 < count; ++i) add(first + i * stride, stride, 2);
      });
    return std::move(distinct_);
  }

 private:
  /// All groups use the network at the same time: none gets more of it than its GPUs' share.
  void add(std::uint32_t first, std::uint32_t stride, std::uint32_t count) {
    GpuGroup group = map_.group(ranks_.slices(first, stride, count));
    if (job_.domains > 1) {
      group.nic_rate = std::min(group.nic_rate, job_.nic_rate);
      group.rails_rate = std::min(group.rails_rate, job_.nic_rate * group.least);
    }
    if (std::find(distinct_.begin(), distinct_.end(), group) == distinct_.end())
      distinct_.push_back(group);
  }

  const CostMap& map_;
  const RankMap& ranks_;
  const GpuGroup& job_;
  std::vector<GpuGroup> distinct_;
};

std::vector<std::size_t> types_of(const CostMap& map, std::span<const Slice> slices) {
  std::vector<std::size_t> out;
  const GpuSpec* last = nullptr;
  for (const Slice& slice : slices)
    for (std::uint32_t k = 0; k < slice.count; ++k) {
      const GpuSpec* gpu = map.gpu(map.fleet().nodes[NodeId{slice.first.value + k}].pool);
      MUSTER_CHECK(gpu);
      if (gpu == last) continue;
      last = gpu;
      const auto index = static_cast<std::size_t>(gpu - map.calibration().gpus.data());
      if (std::find(out.begin(), out.end(), index) == out.end()) out.push_back(index);
    }
  return out;
}

/// GB/s that each of so many nodes reads at if nobody else does: no more than its own, nor than its part of
/// what the storage of their fabric gives in all.
double storage_rate(const Fleet& fleet, NodeId node, double nodes) {
  const double own = fleet.wiring(node).storage_bytes_per_s;
  const double all =
      fleet.fabric->storage_of(fleet.domain_of[static_cast<std::size_t>(Level::fabric)][node]);
  if (all <= 0) return own * 1e-9;
  return (own > 0 ? std::min(own, all / nodes) : all / nodes) * 1e-9;
}

}  // namespace

PlacedPlan place(const CostMap& map, std::span<const Slice> slices, const ParallelPlan& plan,
                 const Mapping& mapping) {
  const RankMap ranks(slices, plan, mapping);
  PlacedPlan out;
  out.job = map.group(slices);
  const auto groups = [&] { return Groups(map, ranks, out.job); };
  const std::uint32_t dp = ranks.stride(Axis::dp), cp = ranks.stride(Axis::cp);
  out.tp = groups().along(ranks.stride(Axis::tp), plan.tp);
  out.cp = groups().along(cp, plan.cp);
  out.pp = groups().pairs(ranks.stride(Axis::pp), plan.pp);
  out.ep = groups().along(dp, plan.ep);
  out.expert_dp = groups().along(dp * plan.ep, plan.dp / plan.ep);
  // Replicas along cp and dp have the same weights; where they are not neighbours, cp is left out.
  out.dp = dp == cp * plan.cp ? groups().along(cp, plan.cp * plan.dp) : groups().along(dp, plan.dp);
  out.gpus = types_of(map, slices);
  out.storage_rate = storage_rate(map.fleet(), slices.front().first, out.job.nodes);
  return out;
}

}  // namespace muster
