#include "muster/policy/parts/resize.hpp"

#include <algorithm>
#include <map>

#include "muster/policy/parts/placer.hpp"

namespace muster {
namespace {

struct OnNode {
  std::uint32_t node;
  GpuMask gpus;
};

std::vector<OnNode> by_node(std::span<const Slice> where) {
  std::vector<OnNode> nodes;
  for (const Slice& s : where)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      nodes.push_back({n, s.gpus});
  return nodes;
}

}  // namespace

std::vector<Slice> part_of(std::span<const Slice> where, std::uint32_t gpus) {
  std::vector<OnNode> nodes = by_node(where);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const OnNode& a, const OnNode& b) { return count(a.gpus) > count(b.gpus); });
  std::vector<OnNode> kept;
  for (std::size_t i = 0; i < nodes.size() && gpus > 0; ++i) {
    std::size_t from = i;
    if (count(nodes[i].gpus) > gpus)  // the last one: the smallest that has enough
      while (from + 1 < nodes.size() && count(nodes[from + 1].gpus) >= gpus) ++from;
    const std::uint32_t here = std::min(gpus, count(nodes[from].gpus));
    kept.push_back({nodes[from].node, lowest(nodes[from].gpus, here)});
    gpus -= here;
  }
  std::sort(kept.begin(), kept.end(),
            [](const OnNode& a, const OnNode& b) { return a.node < b.node; });
  std::vector<Slice> out;
  for (const OnNode& k : kept) append(out, k.node, k.gpus);
  return out;
}

std::vector<Slice> joined(std::span<const Slice> a, std::span<const Slice> b) {
  std::map<std::uint32_t, GpuMask> gpus;
  for (const OnNode& n : by_node(a)) gpus[n.node] |= n.gpus;
  for (const OnNode& n : by_node(b)) gpus[n.node] |= n.gpus;
  std::vector<Slice> out;
  for (const auto& [node, mask] : gpus) append(out, node, mask);
  return out;
}

bool extended_on_its_node(const Cluster& cluster, std::span<const Slice> where, std::uint32_t gpus,
                          std::vector<Slice>& out) {
  if (where.size() != 1 || where[0].count != 1) return false;
  const GpuMask free = cluster.free(where[0].first);
  const std::uint32_t held = count(where[0].gpus);
  if (gpus < held || count(free) < gpus - held) return false;
  out.assign(1, {where[0].first, 1, where[0].gpus | lowest(free, gpus - held)});
  return true;
}

}  // namespace muster
