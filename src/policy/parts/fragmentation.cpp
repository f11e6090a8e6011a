#include "muster/policy/fragmentation.hpp"

#include <algorithm>

#include "muster/cluster/fit.hpp"
#include "muster/cluster/mig.hpp"
#include "policy/placers/fgd.hpp"

namespace muster {
namespace {

constexpr std::uint32_t kMostInstances = 1'000'000;

/// Of one pool in a range of nodes: all of the idle ones, and the most that is free on one that is not.
std::uint32_t largest_in(const Cluster& cluster, std::size_t pool, NodeRange range) {
  const Fleet& fleet = cluster.fleet();
  std::uint32_t whole = 0, rest = 0;
  for (std::uint32_t n = range.first; n < range.last; ++n) {
    const Fleet::Node& node = fleet.nodes[NodeId{n}];
    if (node.pool != pool) continue;
    const std::uint32_t free = count(cluster.free(NodeId{n}));
    if (free == fleet.pools[pool].widest)
      whole += free;
    else
      rest = std::max(rest, free);
  }
  return whole + rest;
}

std::array<std::uint32_t, kLevels> largest(const Cluster& cluster, std::size_t pool) {
  const Fleet& fleet = cluster.fleet();
  std::array<std::uint32_t, kLevels> out{};
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
    if (fleet.nodes[NodeId{n}].pool == pool)
      out[0] = std::max(out[0], count(cluster.free(NodeId{n})));
  for (std::size_t level = 1; level < kLevels; ++level)
    for (const NodeRange& range : fleet.domains[level])
      out[level] = std::max(out[level], largest_in(cluster, pool, range));
  // A gang does not span fabrics.
  if (fleet.domains[kLevels - 2].size() > 1) out[kLevels - 1] = out[kLevels - 2];
  return out;
}

std::vector<std::uint32_t> instances(const Cluster& cluster, std::size_t pool) {
  std::vector<std::uint32_t> out;
  for (std::size_t id = 1; id <= kMigProfiles.size(); ++id) {
    Cluster then = cluster;
    Demand d;
    d.mig = static_cast<MigId>(id);
    d.gpus = mig_profile(d.mig).slots;
    d.milli = kMigSlotMilli;
    d.pools = PoolMask{1} << pool;
    std::uint32_t made = 0;
    for (; made < kMostInstances; ++made) {
      const auto where = place_instance(then, d);
      if (!where) break;
      const std::vector<Slice> slice{*where};
      then.take(slice, d.milli);
    }
    out.push_back(made);
  }
  return out;
}

/// Free GPUs of a node, as FGD sees it.
std::int64_t lost_on(const Cluster& cluster, const TaskMix& mix, std::uint32_t n,
                     std::vector<std::uint32_t>& shared) {
  const Fleet::Node& node = cluster.fleet().nodes[NodeId{n}];
  shared.clear();
  const auto& taken = cluster.partly_taken();
  for (auto at = taken.lower_bound(std::uint64_t{n} * 64);
       at != taken.end() && at->first < (std::uint64_t{n} + 1) * 64; ++at)
    shared.push_back(at->second);
  std::sort(shared.begin(), shared.end());
  return mix.fragmentation({node.pool, node.gpus, count(cluster.free(NodeId{n})), shared});
}

}  // namespace

Fragmentation fragmentation(const Cluster& cluster, const std::vector<Asked>& seen) {
  const Fleet& fleet = cluster.fleet();
  TaskMix mix;
  std::int64_t tasks = 0;
  for (const Asked& asked : seen)
    if (asked.demand->mig == 0) tasks += mix.add(*asked.demand, fleet, asked.jobs);
  Fragmentation out;
  for (std::size_t p = 0; p < fleet.pools.size(); ++p) {
    Fragmentation::Pool pool;
    pool.type = fleet.pools[p].gpu_type;
    pool.installed = fleet.pools[p].gpus;
    pool.free_milli = cluster.free_milli(p);
    if (fleet.pools[p].mig)
      pool.instances = instances(cluster, p);
    else
      pool.largest = largest(cluster, p);
    out.pools.push_back(std::move(pool));
  }
  std::vector<std::uint32_t> shared;
  for (std::uint32_t n = 0; tasks > 0 && n < fleet.nodes.size(); ++n) {
    Fragmentation::Pool& pool = out.pools[fleet.nodes[NodeId{n}].pool];
    if (!pool.instances.empty()) continue;
    pool.fragmented_milli +=
        static_cast<double>(lost_on(cluster, mix, n, shared)) / static_cast<double>(tasks);
  }
  return out;
}

}  // namespace muster
