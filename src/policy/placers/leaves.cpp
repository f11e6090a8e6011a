#include "leaves.hpp"

#include <algorithm>

namespace muster {
namespace {

constexpr auto kLeaf = static_cast<std::size_t>(Level::leaf);

}  // namespace

Placer::Scope LeafPlacer::within(const Scope& s, std::uint32_t leaf) {
  const NodeRange& all = s.cluster.fleet().domains[kLeaf][leaf];
  return {
      s.cluster, s.pools, {std::max(all.first, s.range.first), std::min(all.last, s.range.last)}};
}

LeafPlacer::Search LeafPlacer::open(const Scope& s, Count what, std::uint32_t k) {
  const Cluster& cluster = s.cluster;
  const Fleet& fleet = cluster.fleet();
  Search search{cluster, what == Count::nodes, fleet.domain_of[kLeaf][NodeId{s.range.first}],
                std::move(room_)};
  search.room.clear();
  for (std::uint32_t leaf = search.first;
       leaf < fleet.domains[kLeaf].size() && fleet.domains[kLeaf][leaf].first < s.range.last;
       ++leaf) {
    std::uint32_t room = 0;
    const Scope inside = within(s, leaf);
    if (cluster.tracks_domains() && inside.range == fleet.domains[kLeaf][leaf]) {
      room = what == Count::gpus ? cluster.domain_free(Level::leaf, leaf, s.pools)
             : k == 0            ? cluster.domain_idle(Level::leaf, leaf, s.pools)
                                 : cluster.domain_at_least(Level::leaf, leaf, k, s.pools);
    } else {
      for (std::uint32_t n = next_with(s, k, inside.range.first); n < inside.range.last;
           n = next_with(s, k, n + 1))
        room += what == Count::gpus ? count(cluster.free(NodeId{n})) : 1;
    }
    search.room.push_back(room);
  }
  return search;
}

std::uint32_t LeafPlacer::one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) {
  Search search = open(s, Count::nodes, k);
  used_.clear();
  for (const Slice& slice : taken)
    for (std::uint32_t n = slice.first.value; n < slice.first.value + slice.count; ++n) {
      const std::uint32_t leaf = search.fleet().domain_of[kLeaf][NodeId{n}];
      if (used_.empty() || used_.back() != leaf) used_.push_back(leaf);
      --search.room[leaf - search.first];  // whole nodes, with at least k free
    }
  std::sort(used_.begin(), used_.end());
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  std::uint32_t node = NodeSet::kNone;
  if (std::any_of(search.room.begin(), search.room.end(), [](std::uint32_t r) { return r > 0; })) {
    begin_search(search, 1, used_);
    const Scope inside = within(s, next_leaf(search, 1));
    node = next_with(s, k, inside.range.first);
    while (contains(taken, node)) node = next_with(s, k, node + 1);
  }
  room_ = std::move(search.room);
  return node;
}

void LeafPlacer::many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) {
  Search search = open(s, Count::nodes, k);
  begin_search(search, n, {});
  std::uint64_t all = 0;
  for (const std::uint32_t room : search.room) all += room;
  while (n > 0 && all > 0) {
    const std::uint32_t leaf = next_leaf(search, n);
    std::uint32_t& room = search.room[leaf - search.first];
    all -= room;
    std::uint32_t at = within(s, leaf).range.first;
    for (const std::uint32_t left = n > room ? n - room : 0; n > left; --n) {
      at = next_with(s, k, at);
      const GpuMask free = s.cluster.free(NodeId{at});
      append(out, at++, k == 0 ? free : lowest(free, k));
    }
    room = 0;
  }
  room_ = std::move(search.room);
}

void LeafPlacer::any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) {
  Search search = open(s, Count::gpus, 1);
  begin_search(search, gpus, {});
  std::uint64_t all = 0;
  for (const std::uint32_t room : search.room) all += room;
  while (gpus > 0 && all > 0) {
    const std::uint32_t leaf = next_leaf(search, gpus);
    all -= search.room_of(leaf);
    const NodeRange range = within(s, leaf).range;
    for (std::uint32_t n = next_with(s, 1, range.first); n < range.last && gpus > 0;
         n = next_with(s, 1, n + 1)) {
      const GpuMask free = s.cluster.free(NodeId{n});
      const std::uint32_t here = std::min(gpus, count(free));
      append(out, n, lowest(free, here));
      gpus -= here;
    }
    search.room[leaf - search.first] = 0;
  }
  room_ = std::move(search.room);
}

/// Of domains of a level that was asked for: best fit, as of leaves.
std::size_t LeafPlacer::choose_domain(const std::vector<std::uint32_t>& free) {
  return static_cast<std::size_t>(std::min_element(free.begin(), free.end()) - free.begin());
}

}  // namespace muster
