// Why a MIG instance can't be made: which slots it needs, and which are in use.

#include <bit>

#include "muster/cluster/mig.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

/// The GPU in MIG mode with most free slots, and how many slots are free on all of them.
struct FreeSlots {
  std::uint32_t gpus = 0;
  std::uint32_t free = 0;
  NodeId node;
  std::uint32_t gpu = 0;
  SlotMask best = 0;
};

FreeSlots free_slots(const Cluster& c, PoolMask pools) {
  FreeSlots found;
  for (std::uint32_t n = 0; n < c.fleet().nodes.size(); ++n) {
    const Fleet::Node& node = c.fleet().nodes[NodeId{n}];
    if (!((pools >> node.pool) & 1)) continue;
    for (std::uint32_t g = 0; g * kMigSlots < node.gpus; ++g) {
      const SlotMask free = slots_of(c.free(NodeId{n}), g);
      found.free += static_cast<std::uint32_t>(std::popcount(free));
      if (found.gpus++ == 0 || std::popcount(free) > std::popcount(found.best)) {
        found.node = NodeId{n};
        found.gpu = g;
        found.best = free;
      }
    }
  }
  return found;
}

/// First slots that some layout of the pools has for this profile.
SlotMask starts(const Cluster& c, MigId id, PoolMask pools) {
  SlotMask all = 0;
  for (std::size_t p = 0; p < c.pools(); ++p)
    if ((pools >> p) & 1) all = static_cast<SlotMask>(all | c.mig(p)->places(id, 0xff));
  return all;
}

}  // namespace

std::string mig_misfit_text(const Cluster& c, const Demand& d) {
  const std::string name{mig_profile(d.mig).name};
  const FreeSlots slots = free_slots(c, d.pools);
  const SlotMask used = static_cast<SlotMask>(~slots.best);
  const bool one = std::popcount(used) == 1;
  std::string text = "needs a MIG instance: " + name + " needs slots " +
                     places_text(d.mig, starts(c, d.mig, d.pools)) +
                     (slots.gpus > 1 ? " of one GPU; " : "; ");
  if (slots.gpus > 1)
    text += count_text(slots.free, "slot") + " of " + count_text(slots.gpus, "GPU") +
            (slots.free == 1 ? " is" : " are") + " free, most on GPU " + std::to_string(slots.gpu) +
            " of " + c.fleet().node_name(slots.node) + ", where ";
  text += slots_text(used) + (one ? " is" : " are") + " in use";
  const MigId largest = c.largest_creatable(d.pools);
  return text + (largest == 0 ? "; no instance can be made"
                              : "; the largest that can be made is " +
                                    std::string{mig_profile(largest).name});
}

std::string mig_never_text(const Cluster& empty, const Demand& d) {
  if (d.pools == 0) return ", and no GPU of a type it may use is in MIG mode";
  std::string layouts;
  for (std::size_t p = 0; p < empty.pools(); ++p)
    if ((d.pools >> p) & 1) layouts += (layouts.empty() ? "" : ", ") + text_of(*empty.mig(p));
  return ", and no GPU has one: they are divided into " + layouts;
}

}  // namespace muster
