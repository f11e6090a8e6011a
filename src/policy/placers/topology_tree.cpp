#include <array>

#include "leaves.hpp"

namespace muster {
namespace {

constexpr std::array kSwitches{Level::leaf, Level::pod, Level::fabric};
constexpr std::uint32_t kNoLeaf = ~std::uint32_t{0};

/// Slurm's topology/tree: best-fit search for leaf switches (select/cons_tres, as of 22.05), for nodes
/// of equal weight. Of two leaves the one with the fewest nodes that are enough; if neither is, the
/// same is asked of the switches above them, until they meet; then the one with more. Further leaves
/// are looked for near those in use. In a leaf, nodes in order.
class TopologyTreePlacer final : public LeafPlacer {
 public:
  explicit TopologyTreePlacer(std::uint64_t) {}

 protected:
  void begin_search(const Search& search, std::uint32_t,
                    const std::vector<std::uint32_t>& used) override {
    distance_.assign(search.room.size(), 0);
    count_above(search);
    for (const std::uint32_t leaf : used) move_away_from(search, leaf);
  }

  std::uint32_t next_leaf(const Search& search, std::uint32_t want) override {
    std::uint32_t best = kNoLeaf;
    for (std::uint32_t i = search.first; i < search.last(); ++i) {
      if (search.room_of(i) == 0) continue;
      if (best == kNoLeaf) {
        best = i;
        continue;
      }
      const int better = compare(search, i, best, want);
      const std::uint32_t here = distance_[i - search.first];
      const std::uint32_t there = distance_[best - search.first];
      if ((here < there && better >= 0) || (here == there && better > 0)) best = i;
    }
    move_away_from(search, best);
    return best;
  }

 private:
  std::uint32_t domain(const Search& search, std::size_t level, std::uint32_t leaf) const {
    if (level == 0) return leaf - search.first;
    const auto& of = search.fleet().domain_of[static_cast<std::size_t>(kSwitches[level])];
    const auto& leaves = search.fleet().domains[static_cast<std::size_t>(Level::leaf)];
    return of[NodeId{leaves[leaf].first}] - of[NodeId{leaves[search.first].first}];
  }

  /// What the switches above the leaves have below them. As in Slurm 22.05, it stays while leaves are
  /// used up: a switch may look better than it is by then.
  void count_above(const Search& search) {
    for (std::size_t level = 1; level < kSwitches.size(); ++level) {
      above_[level].assign(domain(search, level, search.last() - 1) + 1, 0);
      for (std::uint32_t i = search.first; i < search.last(); ++i)
        above_[level][domain(search, level, i)] += search.room_of(i);
    }
  }
  std::uint32_t room(const Search& search, std::size_t level, std::uint32_t leaf) const {
    return level == 0 ? search.room_of(leaf) : above_[level][domain(search, level, leaf)];
  }

  /// Links between two leaves: two for each level up to where they meet.
  void move_away_from(const Search& search, std::uint32_t leaf) {
    for (std::uint32_t i = search.first; i < search.last(); ++i) {
      std::uint32_t level = 0;
      while (level < kSwitches.size() && domain(search, level, i) != domain(search, level, leaf))
        ++level;
      distance_[i - search.first] += 2 * level;
    }
  }

  /// Above 0 if leaf `a` is the better fit, below 0 if `b` is.
  int compare(const Search& search, std::uint32_t a, std::uint32_t b, std::uint32_t want) const {
    for (std::size_t level = 0;; ++level) {
      const std::uint32_t of_a = room(search, level, a);
      const std::uint32_t of_b = room(search, level, b);
      const bool fits_a = of_a >= want;
      const bool fits_b = of_b >= want;
      if (fits_a != fits_b) return fits_a ? 1 : -1;
      if (fits_a && of_a != of_b) return of_a < of_b ? 1 : -1;
      const bool up = level + 1 < kSwitches.size() &&
                      domain(search, level + 1, a) != domain(search, level + 1, b);
      if (fits_a || !up) return of_a == of_b ? 0 : of_a > of_b ? 1 : -1;
    }
  }

  std::array<std::vector<std::uint32_t>, kSwitches.size()> above_;  // [level][domain of the scope]
  std::vector<std::uint32_t> distance_;                             // by leaf, to all that are used
};

const Placers::Add<TopologyTreePlacer> registered{
    "topology_tree",
    "Slurm's topology/tree: the best-fitting leaf, or as few near ones as it takes"};

}  // namespace
}  // namespace muster
