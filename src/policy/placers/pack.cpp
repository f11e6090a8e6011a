#include "pack.hpp"

namespace muster {

std::uint32_t PackPlacer::one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) {
  if (taken.empty() && s.pools == 1) {  // most jobs
    const FreeIndex& index = s.cluster.index(0);
    for (std::uint32_t free = k; free <= index.widest(); ++free) {
      if (index.group(free).size() == 0) continue;
      if (const std::uint32_t n = index.group(free).next(s.range.first); n < s.range.last) return n;
    }
    return NodeSet::kNone;
  }
  for (std::uint32_t free = k; free <= s.cluster.fleet().widest; ++free)
    if (const std::uint32_t n = first_with(s, free, taken); n != NodeSet::kNone) return n;
  return NodeSet::kNone;
}

void PackPlacer::many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) {
  for (std::size_t p = 0; p < s.cluster.pools() && n > 0; ++p) {
    if (!((s.pools >> p) & 1)) continue;
    const FreeIndex& index = s.cluster.index(p);
    if (k == 0) {
      n -= each_run(s.cluster.idle_set(p), s.range, n,
                    [&](std::uint32_t first, std::uint32_t length) {
                      for (std::uint32_t i = first; i < first + length; ++i)
                        append(out, i, s.cluster.free(NodeId{i}));
                    });
      continue;
    }
    for (std::uint32_t free = k; free <= index.widest() && n > 0; ++free)
      n -= each_run(index.group(free), s.range, n, [&](std::uint32_t first, std::uint32_t length) {
        if (free == k && k == index.widest()) return append_run(out, first, length, first_gpus(k));
        for (std::uint32_t i = first; i < first + length; ++i)
          append(out, i, lowest(s.cluster.free(NodeId{i}), k));
      });
  }
}

void PackPlacer::any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) {
  for (std::uint32_t free = 1; free <= s.cluster.fleet().widest && gpus > 0; ++free)
    for (std::size_t p = 0; p < s.cluster.pools() && gpus > 0; ++p) {
      const FreeIndex& index = s.cluster.index(p);
      if (!((s.pools >> p) & 1) || free > index.widest()) continue;
      const NodeSet& group = index.group(free);
      if (free == index.widest() && gpus >= free)  // whole nodes: by runs
        gpus -=
            free * each_run(group, s.range, gpus / free, [&](std::uint32_t first, std::uint32_t n) {
              append_run(out, first, n, first_gpus(free));
            });
      for (std::uint32_t n = group.next(s.range.first); n < s.range.last && gpus > 0;
           n = group.next(n + 1)) {
        if (free == index.widest() && contains(out, n)) continue;
        const std::uint32_t here = gpus < free ? gpus : free;
        append(out, n, lowest(s.cluster.free(NodeId{n}), here));
        gpus -= here;
      }
    }
}

std::size_t PackPlacer::choose_domain(const std::vector<std::uint32_t>& free) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < free.size(); ++i)
    if (free[i] < free[best]) best = i;
  return best;
}

namespace {

const Placers::Add<PackPlacer> registered{
    "pack", "best fit: the tightest node, and the tightest domain, that still fits"};

}  // namespace
}  // namespace muster
