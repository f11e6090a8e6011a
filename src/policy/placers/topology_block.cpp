#include <algorithm>

#include "leaves.hpp"

namespace muster {
namespace {

/// Slurm's topology/block (eval_nodes_block.c, as of 2025), for nodes of equal weight. Leaves are the
/// base blocks; larger blocks are pods where the fleet has several, else 2, 4, 8 and 16 leaves in a
/// row, which is what Slurm takes where no BlockSizes are given. Of the blocks of the smallest size
/// that can hold the gang the one with the fewest free nodes that are enough, on as few blocks of the
/// next smaller size (here: parts) as it takes; equally good: the last. Where Slurm would let the gang
/// wait, since no block of that size has room, it goes to the next larger size.
class TopologyBlockPlacer final : public LeafPlacer {
 public:
  explicit TopologyBlockPlacer(std::uint64_t) {}

 protected:
  void begin_search(const Search& search, std::uint32_t want,
                    const std::vector<std::uint32_t>& used) override {
    measure(search);
    if (!used.empty() && choose_near(search, want, used)) return;
    std::size_t size = 0;
    while (size < holds_.size() && holds_[size] < want) ++size;
    for (; size < holds_.size(); ++size)
      if (choose_block(search, size, want)) return;
    enter(search, {search.first, search.last()}, holds_.size(), want);
  }

  std::uint32_t next_leaf(const Search& search, std::uint32_t want) override {
    std::uint32_t best = NodeSet::kNone;
    for (std::uint32_t i = block_.first; i < block_.last; ++i)
      if (search.room_of(i) > 0 && (best == NodeSet::kNone || better(search, i, best, want)))
        best = i;
    part(best).used = true;
    return best;
  }

 private:
  using Leaves = NodeRange;  // of leaves, not nodes
  struct Part {
    std::uint32_t room = 0;
    bool used = false;
  };

  /// What a block of each size holds if all of its leaves are like the smallest.
  void measure(const Search& search) {
    const Fleet& fleet = search.fleet();
    const auto& leaves = fleet.domains[static_cast<std::size_t>(Level::leaf)];
    std::uint32_t smallest = leaves.front().size();
    for (const NodeRange& leaf : leaves) smallest = std::min(smallest, leaf.size());
    if (!search.of_nodes) smallest *= fleet.widest;
    pods_ = fleet.domains[static_cast<std::size_t>(Level::pod)].size() > 1;
    holds_.assign(1, smallest);
    if (pods_) {
      auto fewest = static_cast<std::uint32_t>(leaves.size());
      for (std::uint32_t i = 0; i < leaves.size(); i = end_of_pod(fleet, i))
        fewest = std::min(fewest, end_of_pod(fleet, i) - i);
      holds_.push_back(smallest * fewest);
    } else {
      for (std::uint32_t in_a_row = 2; in_a_row <= 16; in_a_row *= 2)
        holds_.push_back(smallest * in_a_row);
    }
  }

  /// One past the last leaf, of the scope, of the block of a size that `leaf` is in.
  std::uint32_t end_of(const Search& search, std::size_t size, std::uint32_t leaf) const {
    if (size == 0) return leaf + 1;
    if (size == holds_.size()) return search.last();
    if (!pods_) return std::min(((leaf >> size) + 1) << size, search.last());
    return std::min(end_of_pod(search.fleet(), leaf), search.last());
  }
  static std::uint32_t end_of_pod(const Fleet& fleet, std::uint32_t leaf) {
    const auto domain_of = [&](Level level, std::uint32_t node) {
      return fleet.domain_of[static_cast<std::size_t>(level)][NodeId{node}];
    };
    const std::uint32_t first = fleet.domains[static_cast<std::size_t>(Level::leaf)][leaf].first;
    const std::uint32_t pod = domain_of(Level::pod, first);
    return domain_of(Level::leaf,
                     fleet.domains[static_cast<std::size_t>(Level::pod)][pod].last - 1) +
           1;
  }

  static std::uint32_t room(const Search& search, Leaves leaves) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = leaves.first; i < leaves.last; ++i) sum += search.room_of(i);
    return sum;
  }
  /// Of how many parts a gang may be.
  std::uint32_t most_parts(std::size_t size, std::uint32_t want) const {
    const std::uint32_t holds = holds_[size == 0 ? 0 : size - 1];
    return (want + holds - 1) / holds;
  }

  bool choose_block(const Search& search, std::size_t size, std::uint32_t want) {
    std::uint32_t least = 0;
    Leaves chosen{0, 0};
    for (std::uint32_t first = search.first, end = 0; first < search.last(); first = end) {
      end = end_of(search, size, first);
      enter(search, {first, end}, size, want);
      std::sort(parts_.begin(), parts_.end(),
                [](const Part& a, const Part& b) { return a.room > b.room; });
      std::uint32_t all = 0, reach = 0;
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        all += parts_[p].room;
        if (p < most_parts(size, want)) reach += parts_[p].room;
      }
      if (reach < want || (chosen.last > 0 && all > least)) continue;
      least = all;
      chosen = {first, end};
    }
    if (chosen.last == 0) return false;
    enter(search, chosen, size, want);
    return true;
  }

  /// For one node beside the others: the smallest block with room that the gang is in already.
  bool choose_near(const Search& search, std::uint32_t want,
                   const std::vector<std::uint32_t>& used) {
    for (std::size_t size = 0; size < holds_.size(); ++size)
      for (const std::uint32_t leaf : used) {
        const std::uint32_t end = end_of(search, size, leaf);
        std::uint32_t first = leaf;
        while (first > search.first && end_of(search, size, first - 1) >= end) --first;
        if (room(search, {first, end}) == 0) continue;
        enter(search, {first, end}, size, want);
        for (const std::uint32_t i : used)
          if (i >= first && i < end) part(i).used = true;
        return true;
      }
    return false;
  }

  /// The search goes on in this block.
  void enter(const Search& search, Leaves block, std::size_t size, std::uint32_t want) {
    const std::size_t smaller = size == 0 ? 0 : size - 1;
    block_ = block;
    parts_.clear();
    part_of_.clear();
    for (std::uint32_t i = block.first, end = 0; i < block.last; i = end) {
      end = std::min(end_of(search, smaller, i), block.last);
      part_of_.resize(end - block.first, static_cast<std::uint32_t>(parts_.size()));
      parts_.push_back({room(search, {i, end})});
    }
    // Where all parts may be used it does not matter which: base blocks are chosen alone.
    few_parts_ = parts_.size() > most_parts(size, want);
  }
  Part& part(std::uint32_t leaf) { return parts_[part_of_[leaf - block_.first]]; }

  /// Whether leaf `a`, which comes later, is the next rather than `b`.
  bool better(const Search& search, std::uint32_t a, std::uint32_t b, std::uint32_t want) {
    const Part &part_a = part(a), &part_b = part(b);
    if (few_parts_ && &part_a != &part_b) {
      if (part_a.used != part_b.used) return part_a.used;
      const bool fits = part_a.room >= want;
      if (fits != (part_b.room >= want)) return fits;
      if (part_a.room != part_b.room) return fits == (part_a.room < part_b.room);
    }
    const std::uint32_t of_a = search.room_of(a), of_b = search.room_of(b);
    const bool fits = of_a >= want;
    if (fits != (of_b >= want)) return fits;
    return fits ? of_a <= of_b : of_a >= of_b;
  }

  std::vector<std::uint32_t> holds_;  // by size of block
  bool pods_ = false;                 // the second size is the pod, and the last
  Leaves block_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> part_of_;  // by leaf of the block
  bool few_parts_ = false;
};

const Placers::Add<TopologyBlockPlacer> registered{
    "topology_block",
    "Slurm's topology/block: the fullest block that is enough, on as few base blocks as it takes"};

}  // namespace
}  // namespace muster
