#include <algorithm>

#include "pack.hpp"

namespace muster {
namespace {

constexpr std::uint32_t kMostRailsSearched = 8;  // sets of them: at most 70 of k

/// The same GPUs of each node, so that what GPU i of one node sends GPU i of another stays on rail i
/// (GPU i of each node is on rail i, as on rail-optimised fabrics). Of the sets of rails that enough
/// nodes have free the one for which the fewest GPUs are left beside it; the tightest nodes. If no
/// set is free on enough nodes: as pack. On nodes of more than eight GPUs only those sets are tried
/// that are the lowest free GPUs of some node.
class RailAlignedPlacer final : public PackPlacer {
 public:
  explicit RailAlignedPlacer(std::uint64_t seed) : PackPlacer(seed) {}

 protected:
  void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) override {
    const bool all_rails = k == 0 || k >= s.cluster.fleet().widest;
    if (all_rails || n == 1 || !aligned(s, n, k)) return PackPlacer::many(s, n, k, out);
    std::stable_sort(nodes_.begin(), nodes_.end(), tighter);
    nodes_.resize(n);
    std::sort(nodes_.begin(), nodes_.end(),
              [](const Node& a, const Node& b) { return a.index < b.index; });
    for (const Node& node : nodes_) append(out, node.index, rails_);
  }

 private:
  struct Node {
    std::uint32_t index;
    GpuMask free;
  };
  static bool tighter(const Node& a, const Node& b) { return count(a.free) < count(b.free); }

  /// Chooses rails_, and leaves in nodes_ those that have them free.
  bool aligned(const Scope& s, std::uint32_t n, std::uint32_t k) {
    all_.clear();
    for (std::uint32_t i = next_with(s, k, s.range.first); i < s.range.last;
         i = next_with(s, k, i + 1))
      all_.push_back({i, s.cluster.free(NodeId{i})});
    std::uint64_t least = ~std::uint64_t{0};
    for (const GpuMask rails : candidates(s.cluster.fleet().widest, k)) {
      free_on_.clear();
      for (const Node& node : all_)
        if ((node.free & rails) == rails) free_on_.push_back(node);
      if (free_on_.size() < n) continue;
      std::nth_element(free_on_.begin(), free_on_.begin() + (n - 1), free_on_.end(), tighter);
      std::uint64_t beside = 0;
      for (std::uint32_t i = 0; i < n; ++i) beside += count(free_on_[i].free);
      if (beside >= least) continue;
      least = beside;
      rails_ = rails;
    }
    if (least == ~std::uint64_t{0}) return false;
    nodes_.clear();
    for (const Node& node : all_)
      if ((node.free & rails_) == rails_) nodes_.push_back(node);
    return true;
  }

  /// Sets of `k` rails, in ascending order.
  const std::vector<GpuMask>& candidates(std::uint32_t widest, std::uint32_t k) {
    sets_.clear();
    if (widest <= kMostRailsSearched) {
      for (GpuMask set = 1; set < (GpuMask{1} << widest); ++set)
        if (count(set) == k) sets_.push_back(set);
      return sets_;
    }
    for (const Node& node : all_) sets_.push_back(lowest(node.free, k));
    std::sort(sets_.begin(), sets_.end());
    sets_.erase(std::unique(sets_.begin(), sets_.end()), sets_.end());
    return sets_;
  }

  GpuMask rails_ = 0;
  std::vector<Node> all_, free_on_, nodes_;
  std::vector<GpuMask> sets_;
};

const Placers::Add<RailAlignedPlacer> registered{
    "rail_aligned", "the same GPUs of each node, so that rails are not crossed; else as pack"};

}  // namespace
}  // namespace muster
