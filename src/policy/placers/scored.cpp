#include "scored.hpp"

#include <algorithm>

namespace muster {

template <class Visit>
void ScoredPlacer::each_node(const Scope& s, Visit visit) {
  const Fleet& fleet = s.cluster.fleet();
  const auto& partly = s.cluster.partly_taken();
  auto at = partly.lower_bound(std::uint64_t{s.range.first} * 64);
  for (std::uint32_t n = s.range.first; n < s.range.last; ++n) {
    shared_.clear();
    gpus_.clear();
    for (; at != partly.end() && at->first / 64 == n; ++at) {
      // Few per node: kept in order as they come.
      std::size_t i = 0;
      while (i < shared_.size() && shared_[i] <= at->second) ++i;
      shared_.insert(shared_.begin() + static_cast<std::ptrdiff_t>(i), at->second);
      gpus_.insert(gpus_.begin() + static_cast<std::ptrdiff_t>(i),
                   static_cast<std::uint32_t>(at->first % 64));
    }
    const Fleet::Node& node = fleet.nodes[NodeId{n}];
    if ((s.pools >> node.pool) & 1)
      visit(n, NodeRoom{node.pool, node.gpus, count(s.cluster.free(NodeId{n})), shared_});
  }
}

std::uint32_t ScoredPlacer::one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) {
  Scored best{{}, NodeSet::kNone};
  each_node(s, [&](std::uint32_t n, const NodeRoom& room) {
    if (room.whole < k || contains(taken, n)) return;
    const Scored here{score(room, {.whole = k}), n};
    if (best.node == NodeSet::kNone || here < best) best = here;
  });
  return best.node;
}

void ScoredPlacer::many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) {
  scored_.clear();
  each_node(s, [&](std::uint32_t node, const NodeRoom& room) {
    const std::uint32_t gpus = k == 0 ? room.width : k;
    if (room.whole >= gpus) scored_.push_back({score(room, {.whole = gpus}), node});
  });
  std::sort(scored_.begin(), scored_.end());
  if (scored_.size() > n) scored_.resize(n);
  std::sort(scored_.begin(), scored_.end(),
            [](const Scored& a, const Scored& b) { return a.node < b.node; });
  for (const Scored& x : scored_) {
    const GpuMask free = s.cluster.free(NodeId{x.node});
    append(out, x.node, k == 0 ? free : lowest(free, k));
  }
}

void ScoredPlacer::any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) {
  scored_.clear();
  each_node(s, [&](std::uint32_t node, const NodeRoom& room) {
    if (room.whole > 0)
      scored_.push_back({score(room, {.whole = std::min(gpus, room.whole)}), node});
  });
  std::sort(scored_.begin(), scored_.end());
  for (std::size_t i = 0; i < scored_.size() && gpus > 0; ++i) {
    const GpuMask free = s.cluster.free(NodeId{scored_[i].node});
    const std::uint32_t here = std::min(gpus, count(free));
    append(out, scored_[i].node, lowest(free, here));
    gpus -= here;
  }
}

std::size_t ScoredPlacer::choose_domain(const std::vector<std::uint32_t>& free) {
  const auto chosen = tightest_domain() ? std::min_element(free.begin(), free.end())
                                        : std::max_element(free.begin(), free.end());
  return static_cast<std::size_t>(chosen - free.begin());
}

const Cluster::Share* ScoredPlacer::share(const Scope& s, std::uint32_t milli) {
  Scored best{{}, NodeSet::kNone};
  Cluster::Share found{};
  each_node(s, [&](std::uint32_t n, const NodeRoom& room) {
    const auto consider = [&](const Taking& taking, const Cluster::Share& where) {
      const Score x = score(room, taking);
      if (best.node != NodeSet::kNone && best.score <= x) return;
      best = {x, n};
      found = where;
    };
    for (std::uint32_t i = 0; i < room.shared.size(); ++i)
      if (room.shared[i] >= milli)
        consider({.milli = milli, .on = i}, {room.shared[i], n, gpus_[i]});
    if (room.whole > 0) consider({.milli = milli}, {1000, n, 0});
  });
  fresh_ = NodeSet::kNone;
  if (best.node == NodeSet::kNone) return nullptr;
  if (found.left == 1000) {
    fresh_ = best.node;
    return nullptr;
  }
  return &*s.cluster.shares(s.cluster.fleet().nodes[NodeId{best.node}].pool).find(found);
}

}  // namespace muster
