#include "leaves.hpp"

namespace muster {
namespace {

/// One leaf if a used one is enough, but no idle leaf is broken for that: then the gang goes on
/// several used leaves, largest first. Idle leaves are for who fills them, or opened when the used ones
/// are not enough.
class WholeLeavesPlacer final : public LeafPlacer {
 public:
  explicit WholeLeavesPlacer(std::uint64_t) {}

 protected:
  void begin_search(const Search& search, std::uint32_t,
                    const std::vector<std::uint32_t>& used) override {
    idle_.clear();
    const auto& leaves = search.fleet().domains[static_cast<std::size_t>(Level::leaf)];
    for (std::uint32_t i = search.first; i < search.last(); ++i)
      idle_.push_back(search.cluster.tracks_domains() &&
                      search.cluster.domain_idle(Level::leaf, i, ~PoolMask{0}) == leaves[i].size());
    for (const std::uint32_t leaf : used) idle_[leaf - search.first] = false;
  }

  std::uint32_t next_leaf(const Search& search, std::uint32_t want) override {
    // Of used leaves the tightest that is enough, and the largest; of idle ones the smallest that is
    // enough, and the largest that the gang fills.
    std::uint32_t tightest = kNone, largest = kNone, filled = kNone, opened = kNone;
    std::uint64_t used = 0;
    const auto take = [&](std::uint32_t& best, std::uint32_t i, bool smaller) {
      if (best == kNone || (smaller ? search.room_of(i) < search.room_of(best)
                                    : search.room_of(i) > search.room_of(best)))
        best = i;
    };
    for (std::uint32_t i = search.first; i < search.last(); ++i) {
      const std::uint32_t room = search.room_of(i);
      if (room == 0) continue;
      if (idle_[i - search.first]) {
        if (room >= want) take(opened, i, true);
        if (room <= want) take(filled, i, false);
        continue;
      }
      used += room;
      if (room >= want) take(tightest, i, true);
      take(largest, i, false);
    }
    if (tightest != kNone) return tightest;
    if (filled != kNone) return filled;
    if (used >= want || opened == kNone) return largest;
    return opened;
  }

 private:
  static constexpr std::uint32_t kNone = NodeSet::kNone;
  std::vector<bool> idle_;  // by leaf of the scope: nobody is on it
};

const Placers::Add<WholeLeavesPlacer> registered{
    "whole_leaves", "one leaf if a used one is enough; idle leaves are kept for who fills them"};

}  // namespace
}  // namespace muster
