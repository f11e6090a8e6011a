#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "muster/cluster/demand.hpp"
#include "muster/cluster/free_index.hpp"
#include "muster/cluster/gpu_mask.hpp"
#include "muster/core/id.hpp"
#include "muster/topology/fleet.hpp"

namespace muster {

class PlacementCost;

/// Which GPUs are free and who holds the rest. Changed only through take() and give_back(), and
/// fence() and unfence() where nodes are out of service.
///
/// Copyable: a copy with some jobs' GPUs given back is "the cluster as it will be then".
class Cluster {
 public:
  /// One GPU of which only a part is taken.
  struct Share {
    std::uint32_t left;  // thousandths free
    std::uint32_t node;
    std::uint32_t gpu;
    auto operator<=>(const Share&) const = default;
  };

  /// `track_domains`: keep counters per domain, for placement inside one domain of a level.
  Cluster(const Fleet& fleet, bool track_domains);

  const Fleet& fleet() const { return *fleet_; }
  std::uint32_t free_gpus(PoolMask pools) const {
    if (pools_.size() == 1) return pools_[0].free;
    std::uint32_t sum = 0;
    each_pool(pools, [&](const Pool& p) { sum += p.free; });
    return sum;
  }
  /// Thousandths, shares of partly taken GPUs included.
  std::int64_t free_milli(std::size_t pool) const {
    return std::int64_t{pools_[pool].free} * pools_[pool].milli + pools_[pool].shared_milli;
  }
  std::size_t pools() const { return pools_.size(); }
  GpuMask free(NodeId n) const { return free_[n]; }
  const FreeIndex& index(std::size_t pool) const { return pools_[pool].index; }
  const std::set<Share>& shares(std::size_t pool) const { return pools_[pool].shares; }
  /// The pools that are not in MIG mode: where free_gpus() counts GPUs, not slots.
  PoolMask whole_pools() const { return whole_pools_; }

  /// GPUs in MIG mode (src/cluster/mig.cpp). Null where a pool is not.
  const MigLayout* mig(std::size_t pool) const { return pools_[pool].mig; }
  /// Whether some GPU has free slots for an instance of this profile.
  bool creatable(MigId id, PoolMask pools) const;
  MigId largest_creatable(PoolMask pools) const;
  /// Instances stand where they were made, idle ones too, until others are made on their slots.
  bool has_instance(const InstancePlace& at) const;
  /// Whether a job of this profile on these slots needs an instance made.
  bool lacks_instance(const Slice& s, MigId id) const;
  void make_instance(const Slice& s, MigId id);

  /// Thousandths free on each partly taken GPU, by node * 64 + GPU.
  const std::map<std::uint64_t, std::uint32_t>& partly_taken() const { return share_left_; }
  /// Nodes of the allowed pools with all of their GPUs free.
  std::uint32_t idle_nodes(PoolMask pools) const;
  const NodeSet& idle_set(std::size_t pool) const {
    return pools_[pool].uniform ? pools_[pool].index.group(pools_[pool].index.widest())
                                : pools_[pool].idle;
  }
  /// Nodes of the allowed pools with at least `k` GPUs free.
  std::uint32_t at_least(std::uint32_t k, PoolMask pools) const {
    std::uint32_t n = 0;
    each_pool(pools, [&](const Pool& p) { n += p.index.at_least(k); });
    return n;
  }

  /// The same numbers inside one domain. Only with track_domains.
  struct DomainCount {
    std::uint32_t free = 0;                // GPUs
    std::uint32_t idle = 0;                // nodes
    std::vector<std::uint32_t> with_free;  // [k]: nodes with exactly k free
  };
  bool tracks_domains() const { return !domains_.empty(); }
  std::uint32_t domain_free(Level level, std::uint32_t domain, PoolMask pools) const;
  std::uint32_t domain_idle(Level level, std::uint32_t domain, PoolMask pools) const;
  std::uint32_t domain_at_least(Level level, std::uint32_t domain, std::uint32_t k,
                                PoolMask pools) const;

  /// `milli` < 1000: the one GPU of the one slice is taken in part.
  void take(std::span<const Slice> slices, std::uint32_t milli = 1000);
  void give_back(std::span<const Slice> slices, std::uint32_t milli = 1000);

  /// Nodes out of service (src/cluster/fence.cpp): what is free on one, and what is given back to it, is
  /// nobody's until unfence(). Both return the thousandths that change hands at once, and do nothing
  /// to a node that is as asked for already.
  std::int64_t fence(NodeId n);
  std::int64_t unfence(NodeId n);
  bool fenced(NodeId n) const { return !fenced_.empty() && fenced_[n] != 0; }

  /// GPUs that somebody holds are taken a second time, for a job that runs beside the first: they come
  /// free when both have given them back. From now on take() does the same with GPUs that are all held
  /// (src/cluster/packed.cpp). Jobs side by side hold the same GPUs; no shares.
  void pack(std::span<const Slice> slices);

  /// Makes exactly these GPUs free, whoever held the rest: for plans of the future. No shares.
  void assign_free(const std::vector<GpuMask>& free) {
    for (std::uint32_t n = 0; n < free.size(); ++n)
      if (free_[NodeId{n}] != free[n]) {
        if (in_mig_mode(n))
          set_slots(n, free[n]);
        else
          update(n, free[n]);
      }
  }
  const std::vector<GpuMask>& free_masks() const { return free_.items(); }

  /// Who can say what a place would cost; null: nobody.
  PlacementCost* costs() const { return costs_; }
  void priced_by(PlacementCost* costs) { costs_ = costs; }

  /// Recomputes every derived number from the masks and aborts if one disagrees. Tests call it
  /// after each event; release runs never do.
  void check_invariants() const;

 private:
  struct Pool {
    FreeIndex index;
    NodeSet idle;  // only where nodes differ in width
    bool uniform = true;
    std::uint32_t milli = 1000;     // what one bit of a mask is: a GPU, or a slot
    std::uint32_t free = 0;         // whole free GPUs, or slots
    std::int64_t shared_milli = 0;  // free thousandths of partly taken GPUs
    std::set<Share> shares;         // partly taken GPUs, fullest first
    const MigLayout* mig = nullptr;
    std::array<std::uint32_t, kMigProfiles.size()> able{};  // GPUs with room for it, by profile
  };

  template <class Visit>
  void each_pool(PoolMask pools, Visit visit) const {
    for (std::size_t p = 0; p < pools_.size(); ++p)
      if ((pools >> p) & 1) visit(pools_[p]);
  }
  void update(std::uint32_t node, GpuMask now_free);
  bool in_mig_mode(std::uint32_t node) const {
    return pools_[fleet_->nodes[NodeId{node}].pool].mig != nullptr;
  }
  void open_mig(std::uint32_t node);
  void set_slots(std::uint32_t node, GpuMask now_free);
  static void count_slots(Pool& p, SlotMask free, int sign);
  void check_mig() const;
  void update_run(const Slice& s, bool taking);
  void count_domains(std::uint32_t node, std::uint32_t pool, std::uint32_t before,
                     std::uint32_t after);
  /// What of a node's GPUs nobody holds: free, or behind its fence.
  GpuMask idle_on(NodeId n) const { return fenced(n) ? behind_[n] : free_[n]; }
  void set_idle(std::uint32_t node, GpuMask idle);
  bool held_twice(const Slice& s) const;
  bool unpack(std::span<const Slice> slices);
  /// Partly taken GPUs of a node are kept apart while it is fenced.
  auto& shares_left(NodeId n) { return fenced(n) ? behind_left_ : share_left_; }
  void show_share(const Share& s);
  void hide_share(const Share& s);
  void take_share(const Slice& s, std::uint32_t milli);
  void give_back_share(const Slice& s, std::uint32_t milli);
  std::size_t domain_slot(std::uint32_t domain, std::size_t pool) const {
    return domain * pools_.size() + pool;
  }

  const Fleet* fleet_;
  PlacementCost* costs_ = nullptr;
  IdVector<NodeId, GpuMask> free_;
  std::vector<Pool> pools_;
  std::map<std::uint64_t, std::uint32_t> share_left_;  // node * 64 + gpu -> thousandths free
  IdVector<NodeId, std::uint8_t> fenced_;              // empty until a node is
  IdVector<NodeId, GpuMask> behind_;                   // the fence: held by nobody, and not free
  std::map<std::uint64_t, std::uint32_t> behind_left_;
  bool packs_ = false;                      // some job has been packed beside another one
  std::map<std::uint32_t, GpuMask> twice_;  // by node: GPUs that two jobs hold
  PoolMask whole_pools_ = 0;
  /// By node x 8 + GPU: the profile of the instance that begins at each slot, 0 = none. Empty if no node
  /// is in MIG mode.
  std::vector<std::array<MigId, kMigSlots>> instances_;
  std::vector<std::vector<DomainCount>> domains_;  // [level][domain x pools]; empty = not tracked
};

/// GPUs that `slices` hold in the pools of `pools`.
std::uint32_t gpus_in_pools(const Fleet& fleet, std::span<const Slice> slices, PoolMask pools);

}  // namespace muster
