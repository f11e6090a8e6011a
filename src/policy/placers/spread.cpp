#include "muster/policy/parts/placer.hpp"

namespace muster {
namespace {

/// Worst fit: the leaf with the most free GPUs, in it the node with the most free GPUs. Balances
/// load, and breaks up whole nodes and leaves: the opposite of pack.
class SpreadPlacer final : public Placer {
 public:
  explicit SpreadPlacer(std::uint64_t) {}
  bool wants_domains(const Fleet& fleet) const override {
    return fleet.domains[static_cast<std::size_t>(Level::leaf)].size() > 1;
  }

 protected:
  std::uint32_t one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) override {
    const std::vector<NodeRange>& leaves =
        s.cluster.fleet().domains[static_cast<std::size_t>(Level::leaf)];
    if (!s.cluster.tracks_domains() || leaves.size() == 1) return emptiest(s, k, taken);
    std::uint32_t best = NodeSet::kNone;
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < leaves.size(); ++i) {
      const std::uint32_t free = s.cluster.domain_free(Level::leaf, i, s.pools);
      if (free <= most) continue;
      const NodeRange inside{std::max(leaves[i].first, s.range.first),
                             std::min(leaves[i].last, s.range.last)};
      if (inside.first >= inside.last) continue;
      const std::uint32_t n = emptiest({s.cluster, s.pools, inside}, k, taken);
      if (n == NodeSet::kNone) continue;
      best = n;
      most = free;
    }
    return best;
  }

  void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) override {
    for (std::uint32_t free = s.cluster.fleet().widest; free >= std::max(k, 1u) && n > 0; --free)
      for (std::size_t p = 0; p < s.cluster.pools() && n > 0; ++p) {
        if (!((s.pools >> p) & 1) || free > s.cluster.index(p).widest()) continue;
        const NodeSet& group = s.cluster.index(p).group(free);
        for (std::uint32_t at = group.next(s.range.first); at < s.range.last && n > 0;
             at = group.next(at + 1)) {
          if (k == 0 && free != s.cluster.fleet().nodes[NodeId{at}].gpus) continue;
          append(out, at,
                 k == 0 ? s.cluster.free(NodeId{at}) : lowest(s.cluster.free(NodeId{at}), k));
          --n;
        }
      }
  }

  void any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) override {
    for (std::uint32_t free = s.cluster.fleet().widest; free >= 1 && gpus > 0; --free)
      for (std::size_t p = 0; p < s.cluster.pools() && gpus > 0; ++p) {
        if (!((s.pools >> p) & 1) || free > s.cluster.index(p).widest()) continue;
        const NodeSet& group = s.cluster.index(p).group(free);
        for (std::uint32_t at = group.next(s.range.first); at < s.range.last && gpus > 0;
             at = group.next(at + 1)) {
          const std::uint32_t here = gpus < free ? gpus : free;
          append(out, at, lowest(s.cluster.free(NodeId{at}), here));
          gpus -= here;
        }
      }
  }

  std::size_t choose_domain(const std::vector<std::uint32_t>& free) override {
    std::size_t best = 0;
    for (std::size_t i = 1; i < free.size(); ++i)
      if (free[i] > free[best]) best = i;
    return best;
  }

  /// A whole free GPU is emptier than any shared one.
  const Cluster::Share* share(const Scope&, std::uint32_t) override { return nullptr; }
};

const Placers::Add<SpreadPlacer> registered{
    "spread", "worst fit: the emptiest leaf, and in it the emptiest node, that fits"};

}  // namespace
}  // namespace muster
