#include "muster/cluster/cluster.hpp"

#include "muster/core/check.hpp"

namespace muster {

Cluster::Cluster(const Fleet& fleet, bool track_domains)
    : fleet_(&fleet), free_(fleet.nodes.size()), pools_(fleet.pools.size()) {
  const std::size_t nodes = fleet.nodes.size();
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    pools_[p].index = FreeIndex(nodes, fleet.pools[p].widest);
    pools_[p].mig = fleet.pools[p].mig.get();
    if (pools_[p].mig)
      pools_[p].milli = kMigSlotMilli;
    else
      whole_pools_ |= PoolMask{1} << p;
  }
  for (const Fleet::Node& node : fleet.nodes)
    if (node.gpus != fleet.pools[node.pool].widest) pools_[node.pool].uniform = false;
  for (Pool& p : pools_)
    if (!p.uniform) p.idle = NodeSet(nodes);
  if (track_domains) {
    domains_.resize(kLevels);
    for (std::size_t l = 1; l < kLevels; ++l)
      domains_[l].resize(fleet.domains[l].size() * pools_.size(),
                         DomainCount{0, 0, std::vector<std::uint32_t>(fleet.widest + 1u)});
  }
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Fleet::Node& node = fleet.nodes[NodeId{n}];
    Pool& p = pools_[node.pool];
    free_[NodeId{n}] = first_gpus(node.gpus);
    p.index.insert(n, node.gpus);
    if (!p.uniform) p.idle.insert(n);
    p.free += node.gpus;
    if (track_domains) count_domains(n, node.pool, 0, node.gpus);
    if (p.mig) open_mig(n);
  }
}

std::uint32_t Cluster::idle_nodes(PoolMask pools) const {
  std::uint32_t n = 0;
  for (std::size_t p = 0; p < pools_.size(); ++p)
    if ((pools >> p) & 1) n += idle_set(p).size();
  return n;
}

void Cluster::count_domains(std::uint32_t node, std::uint32_t pool, std::uint32_t before,
                            std::uint32_t after) {
  const NodeId n{node};
  const std::uint32_t width = fleet_->nodes[n].gpus;
  for (std::size_t l = 1; l < kLevels; ++l) {
    DomainCount& d = domains_[l][domain_slot(fleet_->domain_of[l][n], pool)];
    d.free += after - before;
    if (before > 0) --d.with_free[before];
    if (after > 0) ++d.with_free[after];
    if (before == width) --d.idle;
    if (after == width) ++d.idle;
  }
}

std::uint32_t Cluster::domain_free(Level level, std::uint32_t domain, PoolMask pools) const {
  std::uint32_t n = 0;
  for (std::size_t p = 0; p < pools_.size(); ++p)
    if ((pools >> p) & 1)
      n += domains_[static_cast<std::size_t>(level)][domain_slot(domain, p)].free;
  return n;
}

std::uint32_t Cluster::domain_idle(Level level, std::uint32_t domain, PoolMask pools) const {
  std::uint32_t n = 0;
  for (std::size_t p = 0; p < pools_.size(); ++p)
    if ((pools >> p) & 1)
      n += domains_[static_cast<std::size_t>(level)][domain_slot(domain, p)].idle;
  return n;
}

std::uint32_t Cluster::domain_at_least(Level level, std::uint32_t domain, std::uint32_t k,
                                       PoolMask pools) const {
  std::uint32_t n = 0;
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    if (!((pools >> p) & 1)) continue;
    const auto& counts =
        domains_[static_cast<std::size_t>(level)][domain_slot(domain, p)].with_free;
    for (std::size_t g = k; g < counts.size(); ++g) n += counts[g];
  }
  return n;
}

void Cluster::update(std::uint32_t node, GpuMask now_free) {
  const NodeId n{node};
  const Fleet::Node& which = fleet_->nodes[n];
  Pool& p = pools_[which.pool];
  const std::uint32_t before = count(free_[n]);
  const std::uint32_t after = count(now_free);
  free_[n] = now_free;
  p.index.move(node, before, after);
  p.free += after - before;
  if (!p.uniform) {
    if (before == which.gpus) p.idle.erase(node);
    if (after == which.gpus) p.idle.insert(node);
  }
  if (!domains_.empty()) count_domains(node, which.pool, before, after);
}

/// Whole nodes side by side, all idle before or all full: the bits move a word at a time.
void Cluster::update_run(const Slice& s, bool taking) {
  const std::uint32_t last = s.first.value + s.count;
  Pool& p = pools_[fleet_->nodes[s.first].pool];
  const GpuMask before = taking ? s.gpus : 0;
  const GpuMask after = taking ? 0 : s.gpus;
  for (std::uint32_t n = s.first.value; n < last; ++n) {
    MUSTER_CHECK(free_[NodeId{n}] == before);
    free_[NodeId{n}] = after;
  }
  p.index.move_run(s.first.value, s.count, count(before), count(after));
  const std::uint32_t moved = count(s.gpus) * s.count;
  p.free = taking ? p.free - moved : p.free + moved;
  if (!domains_.empty())
    for (std::uint32_t n = s.first.value; n < last; ++n)
      count_domains(n, fleet_->nodes[NodeId{n}].pool, count(before), count(after));
}

void Cluster::set_idle(std::uint32_t node, GpuMask idle) {
  if (fenced(NodeId{node}))
    behind_[NodeId{node}] = idle;
  else if (in_mig_mode(node))
    set_slots(node, idle);
  else
    update(node, idle);
}

void Cluster::take(std::span<const Slice> slices, std::uint32_t milli) {
  if (milli < 1000) return take_share(slices[0], milli);
  if (packs_ && (idle_on(slices[0].first) & slices[0].gpus) == 0) return pack(slices);
  for (const Slice& s : slices) {
    const Pool& p = pools_[fleet_->nodes[s.first].pool];
    if (s.count > 1 && pools_.size() == 1 && p.uniform && count(s.gpus) == p.index.widest() &&
        fenced_.empty()) {
      update_run(s, true);
      continue;
    }
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      const GpuMask idle = idle_on(NodeId{n});
      MUSTER_CHECK((idle & s.gpus) == s.gpus);
      set_idle(n, idle & ~s.gpus);
    }
  }
}

void Cluster::give_back(std::span<const Slice> slices, std::uint32_t milli) {
  if (milli < 1000) return give_back_share(slices[0], milli);
  if (packs_ && unpack(slices)) return;
  for (const Slice& s : slices) {
    const Pool& p = pools_[fleet_->nodes[s.first].pool];
    if (s.count > 1 && pools_.size() == 1 && p.uniform && count(s.gpus) == p.index.widest() &&
        fenced_.empty()) {
      update_run(s, false);
      continue;
    }
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      const GpuMask idle = idle_on(NodeId{n});
      MUSTER_CHECK((idle & s.gpus) == 0);
      set_idle(n, idle | s.gpus);
    }
  }
}

void Cluster::take_share(const Slice& s, std::uint32_t milli) {
  const std::uint32_t node = s.first.value;
  const GpuMask idle = idle_on(s.first);
  if (in_mig_mode(node)) {
    MUSTER_CHECK((idle & s.gpus) == s.gpus);
    return set_idle(node, idle & ~s.gpus);
  }
  const auto gpu = static_cast<std::uint32_t>(std::countr_zero(s.gpus));
  const std::uint64_t key = std::uint64_t{node} * 64 + gpu;
  auto& left = shares_left(s.first);
  if (const auto it = left.find(key); it != left.end()) {
    MUSTER_CHECK(it->second >= milli);
    hide_share({it->second, node, gpu});
    it->second -= milli;
    return show_share({it->second, node, gpu});
  }
  MUSTER_CHECK((idle & s.gpus) == s.gpus);
  set_idle(node, idle & ~s.gpus);
  left[key] = 1000 - milli;
  show_share({1000 - milli, node, gpu});
}

void Cluster::give_back_share(const Slice& s, std::uint32_t milli) {
  const std::uint32_t node = s.first.value;
  const GpuMask idle = idle_on(s.first);
  if (in_mig_mode(node)) {
    MUSTER_CHECK((idle & s.gpus) == 0);
    return set_idle(node, idle | s.gpus);
  }
  const auto gpu = static_cast<std::uint32_t>(std::countr_zero(s.gpus));
  auto& left = shares_left(s.first);
  const auto it = left.find(std::uint64_t{node} * 64 + gpu);
  MUSTER_CHECK(it != left.end() && it->second + milli <= 1000);
  hide_share({it->second, node, gpu});
  it->second += milli;
  if (it->second < 1000) return show_share({it->second, node, gpu});
  left.erase(it);
  set_idle(node, idle | s.gpus);
}

void Cluster::check_invariants() const {
  check_mig();
  for (std::uint32_t n = 0; n < free_.size(); ++n)
    if (fenced(NodeId{n})) MUSTER_CHECK(free_[NodeId{n}] == 0);
  std::vector<std::uint32_t> sum(pools_.size());
  std::vector<std::int64_t> shared(pools_.size());
  for (const auto& [key, left] : share_left_) {
    const NodeId n{static_cast<std::uint32_t>(key / 64)};
    const auto gpu = static_cast<std::uint32_t>(key % 64);
    MUSTER_CHECK(((free_[n] >> gpu) & 1) == 0 && left < 1000);
    const std::uint32_t pool = fleet_->nodes[n].pool;
    MUSTER_CHECK(pools_[pool].shares.count({left, n.value, gpu}) == 1);
    shared[pool] += left;
  }
  for (std::uint32_t n = 0; n < free_.size(); ++n) {
    const Fleet::Node& node = fleet_->nodes[NodeId{n}];
    const Pool& p = pools_[node.pool];
    const std::uint32_t free = count(free_[NodeId{n}]);
    sum[node.pool] += free;
    for (std::uint32_t k = 1; k <= p.index.widest(); ++k)
      MUSTER_CHECK(p.index.group(k).contains(n) == (k == free));
    if (!p.uniform) MUSTER_CHECK(p.idle.contains(n) == (free == node.gpus));
  }
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    MUSTER_CHECK(sum[p] == pools_[p].free);
    MUSTER_CHECK(shared[p] == pools_[p].shared_milli);
    std::uint32_t indexed = 0;
    for (std::uint32_t k = 1; k <= pools_[p].index.widest(); ++k)
      indexed += k * pools_[p].index.group(k).size();
    MUSTER_CHECK(indexed == sum[p]);
  }
  for (std::size_t l = 1; l < domains_.size(); ++l)
    for (std::uint32_t d = 0; d < fleet_->domains[l].size(); ++d) {
      std::uint32_t free = 0;
      for (std::uint32_t n = fleet_->domains[l][d].first; n < fleet_->domains[l][d].last; ++n)
        free += count(free_[NodeId{n}]);
      MUSTER_CHECK(domain_free(static_cast<Level>(l), d, ~PoolMask{0}) == free);
    }
}

std::uint32_t gpus_in_pools(const Fleet& fleet, std::span<const Slice> slices, PoolMask pools) {
  if (fleet.pools.size() == 1) return pools & 1 ? gpus_in(slices) : 0;
  std::uint32_t gpus = 0;
  for (const Slice& s : slices)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      if ((pools >> fleet.nodes[NodeId{n}].pool) & 1) gpus += count(s.gpus);
  return gpus;
}

}  // namespace muster
