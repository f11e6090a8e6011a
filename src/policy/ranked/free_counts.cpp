#include "free_counts.hpp"

#include "cluster/fit_counts.hpp"
#include "muster/core/check.hpp"

namespace muster::ranked {

struct FreeCounts::Scope {
  const std::vector<Pool>& all;
  PoolMask pools;

  template <class Number>
  std::uint32_t sum(Number of) const {
    std::uint32_t n = 0;
    for (std::size_t p = 0; p < all.size(); ++p)
      if ((pools >> p) & 1) n += of(all[p]);
    return n;
  }
  std::uint32_t free() const {
    return sum([](const Pool& p) { return p.free; });
  }
  std::uint32_t idle() const {
    return sum([](const Pool& p) { return p.idle; });
  }
  std::uint32_t at_least(std::uint32_t k) const {
    return sum([k](const Pool& p) { return k < p.at_least.size() ? p.at_least[k] : 0; });
  }
};

bool FreeCounts::enough(const Fleet& fleet, const IdVector<ShapeId, Demand>& demands) {
  for (const Fleet::Pool& p : fleet.pools)
    if (p.mig) return false;
  return std::all_of(demands.begin(), demands.end(),
                     [](const Demand& d) { return d.milli == 1000 && d.mig == 0; });
}

void FreeCounts::begin(const Fleet& fleet) {
  fleet_ = &fleet;
  pools_.assign(fleet.pools.size(), {});
  for (std::size_t p = 0; p < pools_.size(); ++p)
    pools_[p].at_least.assign(fleet.pools[p].widest + 1U, 0);
  free_.assign(fleet.nodes.size(), 0);
  masks_.assign(fleet.nodes.size(), 0);
  alike_ = std::all_of(fleet.nodes.begin(), fleet.nodes.end(), [&](const Fleet::Node& node) {
    return node.pool == 0 && node.gpus == fleet.pools[0].widest;
  });
  for (const Fleet::Node& node : fleet.nodes) ++pools_[node.pool].at_least[0];
}

bool FreeCounts::match(const Cluster& cluster) {
  for (std::uint32_t n = 0; n < free_.size(); ++n) {
    if (cluster.fenced(NodeId{n})) return false;
    const GpuMask free = cluster.free(NodeId{n});
    if (free == masks_[NodeId{n}]) continue;
    masks_[NodeId{n}] = free;
    set(NodeId{n}, count(free));
  }
  return true;
}

void FreeCounts::change(std::span<const Slice> slices, bool more) {
  for (const Slice& s : slices) {
    const std::uint32_t gpus = count(s.gpus);
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      set(NodeId{n}, more ? free_[NodeId{n}] + gpus : free_[NodeId{n}] - gpus);
  }
}

void FreeCounts::set(NodeId n, std::uint32_t free) {
  const Fleet::Node& node = fleet_->nodes[n];
  MUSTER_CHECK(free <= node.gpus);
  Pool& p = pools_[node.pool];
  const std::uint32_t before = free_[n];
  for (std::uint32_t k = before + 1; k <= free; ++k) ++p.at_least[k];
  for (std::uint32_t k = free + 1; k <= before; ++k) --p.at_least[k];
  p.free += free - before;
  p.idle += static_cast<std::uint32_t>(free == node.gpus) -
            static_cast<std::uint32_t>(before == node.gpus);
  free_[n] = static_cast<std::uint8_t>(free);
}

/// Of nodes that are alike: a comparison of all of them for each number.
void FreeCounts::sum_up_alike(Pool& p) const {
  const std::vector<std::uint8_t>& free = supposed_free_.items();
  p.at_least[0] = static_cast<std::uint32_t>(free.size());
  for (std::size_t k = 1; k < p.at_least.size(); ++k) {
    const auto least = static_cast<std::uint8_t>(k);
    constexpr std::size_t kTogether = 128;  // as many as a byte can count
    for (std::size_t from = 0; from < free.size(); from += kTogether) {
      const std::size_t to = std::min(free.size(), from + kTogether);
      std::uint8_t nodes = 0;
      for (std::size_t n = from; n < to; ++n)
        nodes = static_cast<std::uint8_t>(nodes + (free[n] >= least));
      p.at_least[k] += nodes;
    }
    p.free += p.at_least[k];
  }
  p.idle = p.at_least.back();
}

void FreeCounts::sum_up_supposed() {
  supposed_.resize(pools_.size());
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    supposed_[p].free = supposed_[p].idle = 0;
    supposed_[p].at_least.assign(pools_[p].at_least.size(), 0);
  }
  if (alike_) return sum_up_alike(supposed_[0]);
  for (std::uint32_t n = 0; n < supposed_free_.size(); ++n) {  // nodes with just so many free
    const Fleet::Node& node = fleet_->nodes[NodeId{n}];
    const std::uint8_t free = supposed_free_[NodeId{n}];
    Pool& p = supposed_[node.pool];
    ++p.at_least[free];
    p.free += free;
    p.idle += free == node.gpus;
  }
  for (Pool& p : supposed_)
    for (std::size_t k = p.at_least.size(); k-- > 1;) p.at_least[k - 1] += p.at_least[k];
}

bool FreeCounts::fits_in(const std::vector<Pool>& pools, const Demand& d) {
  return d.pools != 0 && fits_counts(Scope{pools, d.pools}, d);
}

}  // namespace muster::ranked
