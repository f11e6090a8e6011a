#include "rungs.hpp"

#include <algorithm>

namespace muster::ranked {

std::vector<Ladder::Group>::iterator Ladder::group_of(std::int64_t growth) {
  return std::lower_bound(groups_.begin(), groups_.end(), growth,
                          [](const Group& g, std::int64_t x) { return g.growth < x; });
}

void Ladder::insert(const Rung& now_at, std::int64_t growth, SimTime now) {
  auto g = group_of(growth);
  if (g == groups_.end() || g->growth != growth) g = groups_.insert(g, {growth, {}});
  g->rungs.insert(at_zero(now_at, growth, now));
}

void Ladder::erase(const Rung& zero, std::int64_t growth) {
  const auto g = group_of(growth);
  g->rungs.erase(zero);
  if (g->rungs.empty()) groups_.erase(g);
}

bool Ladder::any_below(const Rung& r, SimTime now) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const Group& g) {
    return outranked(as_of(g.rungs.blocks().back().items().back(), g.growth, now), r);
  });
}

std::int64_t Ladder::milli_below(const Rung& r, SimTime now) const {
  std::int64_t sum = 0;
  for (const Group& g : groups_) {
    const auto blocks = g.rungs.blocks();
    for (std::size_t b = blocks.size(); b-- > 0;) {
      if (outranked(as_of(blocks[b].items().front(), g.growth, now), r)) {
        sum += blocks[b].summary().milli;
        continue;
      }
      for (const Rung& item : blocks[b].items())
        if (outranked(as_of(item, g.growth, now), r)) sum += item.milli;
      break;
    }
  }
  return sum;
}

bool Ladder::step(Cursor& c, SimTime now) {
  const auto blocks = c.group->rungs.blocks();
  if (c.item == 0) {
    if (c.block == 0) return false;
    c.item = blocks[--c.block].items().size();
  }
  c.rung = as_of(blocks[c.block].items()[--c.item], c.group->growth, now);
  return true;
}

}  // namespace muster::ranked
