// GPUs in MIG mode: which slots of them are free, which instances stand there, and where one may go.

#include "muster/cluster/mig.hpp"

#include <bit>
#include <tuple>

#include "muster/core/check.hpp"

namespace muster {

bool Cluster::creatable(MigId id, PoolMask pools) const {
  bool found = false;
  each_pool(pools, [&](const Pool& p) { found |= p.mig != nullptr && p.able[id - 1u] > 0; });
  return found;
}

MigId Cluster::largest_creatable(PoolMask pools) const {
  for (std::size_t i = kMigProfiles.size(); i-- > 0;)
    if (const auto id = static_cast<MigId>(i + 1); creatable(id, pools)) return id;
  return 0;
}

void Cluster::count_slots(Pool& p, SlotMask free, int sign) {
  for (std::size_t i = 0; i < kMigProfiles.size(); ++i)
    if (p.mig->places(static_cast<MigId>(i + 1), free) != 0)
      p.able[i] += static_cast<std::uint32_t>(sign);
}

void Cluster::set_slots(std::uint32_t node, GpuMask now_free) {
  Pool& p = pools_[fleet_->nodes[NodeId{node}].pool];
  const GpuMask before = free_[NodeId{node}];
  for (std::uint32_t g = 0; g * kMigSlots < fleet_->nodes[NodeId{node}].gpus; ++g) {
    if (slots_of(before, g) == slots_of(now_free, g)) continue;
    count_slots(p, slots_of(before, g), -1);
    count_slots(p, slots_of(now_free, g), +1);
  }
  update(node, now_free);
}

void Cluster::open_mig(std::uint32_t node) {
  Pool& p = pools_[fleet_->nodes[NodeId{node}].pool];
  if (instances_.empty()) instances_.resize(fleet_->nodes.size() * kMostMigGpusPerNode);
  for (std::uint32_t g = 0; g * kMigSlots < fleet_->nodes[NodeId{node}].gpus; ++g) {
    count_slots(p, 0xff, +1);
    for (const MigLayout::Instance& x : p.mig->fixed())
      instances_[node * kMostMigGpusPerNode + g][x.start] = x.profile;
  }
}

bool Cluster::has_instance(const InstancePlace& at) const {
  return instances_[at.node.value * kMostMigGpusPerNode + at.gpu][at.start] == at.profile;
}

bool Cluster::lacks_instance(const Slice& s, MigId id) const {
  return !has_instance(instance_place(s, id));
}

void Cluster::make_instance(const Slice& s, MigId id) {
  const InstancePlace at = instance_place(s, id);
  auto& here = instances_[at.node.value * kMostMigGpusPerNode + at.gpu];
  for (std::uint32_t start = 0; start < kMigSlots; ++start)
    if (here[start] != 0 && (slots_at(here[start], start) & slots_at(id, at.start)))
      here[start] = 0;
  here[at.start] = id;
}

void Cluster::check_mig() const {
  std::vector<std::array<std::uint32_t, kMigProfiles.size()>> able(pools_.size());
  for (std::uint32_t n = 0; n < free_.size(); ++n) {
    const Fleet::Node& node = fleet_->nodes[NodeId{n}];
    const MigLayout* layout = pools_[node.pool].mig;
    if (layout == nullptr) continue;
    for (std::uint32_t g = 0; g * kMigSlots < node.gpus; ++g) {
      for (std::size_t i = 0; i < kMigProfiles.size(); ++i)
        able[node.pool][i] +=
            layout->places(static_cast<MigId>(i + 1), slots_of(free_[NodeId{n}], g)) != 0;
      SlotMask taken = 0;
      for (std::uint32_t s = 0; s < kMigSlots; ++s) {
        const MigId id = instances_[n * kMostMigGpusPerNode + g][s];
        if (id == 0) continue;
        MUSTER_CHECK(mig_profile(id).starts >> s & 1);
        MUSTER_CHECK((taken & slots_at(id, s)) == 0);
        taken = static_cast<SlotMask>(taken | slots_at(id, s));
      }
    }
  }
  for (std::size_t p = 0; p < pools_.size(); ++p) MUSTER_CHECK(able[p] == pools_[p].able);
}

InstancePlace instance_place(const Slice& s, MigId id) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(s.gpus));
  return {s.first, first / kMigSlots, first % kMigSlots, id};
}

std::optional<Slice> place_instance(const Cluster& cluster, const Demand& d) {
  using Key = std::tuple<std::uint32_t, bool>;  // choices lost, an instance to make
  std::optional<Slice> best;
  Key least{};
  for (std::uint32_t n = 0; n < cluster.fleet().nodes.size(); ++n) {
    const Fleet::Node& node = cluster.fleet().nodes[NodeId{n}];
    if (!((d.pools >> node.pool) & 1)) continue;
    const MigLayout& layout = *cluster.mig(node.pool);
    for (std::uint32_t g = 0; g * kMigSlots < node.gpus; ++g) {
      const SlotMask free = slots_of(cluster.free(NodeId{n}), g);
      const SlotMask places = layout.places(d.mig, free);
      for (std::uint32_t s = 0; s < kMigSlots; ++s) {
        if (!(places >> s & 1)) continue;
        const SlotMask taken = slots_at(d.mig, s);
        const Slice slice{NodeId{n}, 1, GpuMask{taken} << (g * kMigSlots)};
        if (d.mig_placement == MigPlacement::first_free) return slice;
        const auto rest = static_cast<SlotMask>(free & ~taken);
        const Key key{layout.choices(free) - layout.choices(rest),
                      !cluster.has_instance({NodeId{n}, g, s, d.mig})};
        if (best && least <= key) continue;
        best = slice;
        least = key;
      }
    }
  }
  return best;
}

}  // namespace muster
