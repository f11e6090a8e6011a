#include "cell_tree.hpp"

#include <utility>

#include "muster/core/check.hpp"

namespace muster::cells {
namespace {

constexpr std::uint8_t bit(std::size_t level) { return static_cast<std::uint8_t>(1u << level); }
constexpr auto kNode = static_cast<std::size_t>(Level::node);
constexpr auto kFleet = static_cast<std::size_t>(Level::fleet);

}  // namespace

std::string text_of(const Kind& kind) {
  std::string text =
      kind.gpus > 0 ? std::to_string(kind.gpus) + "gpu" : std::string{name(kind.level)};
  if (!kind.gpu_type.empty()) text += ":" + kind.gpu_type;
  return text;
}

CellTree::CellTree(const Fleet& fleet) : fleet_(&fleet) {
  const std::uint32_t root = add(0, {0, static_cast<std::uint32_t>(fleet.nodes.size())}, 0);
  cells_[root].levels = bit(kFleet);
  grow(root, kFleet - 1);
}

GpuMask CellTree::gpus_of(std::uint32_t node) const {
  const Fleet::Node& n = fleet_->nodes[NodeId{node}];
  return fleet_->pools[n.pool].mig ? 0 : first_gpus(n.gpus);
}

std::uint32_t CellTree::add(std::uint32_t parent, NodeRange nodes, GpuMask gpus) {
  const auto id = static_cast<std::uint32_t>(cells_.size());
  Cell& c = cells_.emplace_back();
  c.parent = parent;
  c.nodes = nodes;
  c.gpus = gpus;
  bool first = true;
  each_node(id, [&](std::uint32_t n, GpuMask mask) {
    c.size += muster::count(mask);
    const std::uint32_t pool = fleet_->nodes[NodeId{n}].pool;
    c.pool = first || c.pool == pool ? pool : Cell::kSeveral;
    first = false;
    return true;
  });
  return id;
}

/// Makes the cells inside `c`, which is a domain of the level above `level`.
void CellTree::grow(std::uint32_t c, std::size_t level) {
  const NodeRange all = cells_[c].nodes;
  if (level == kNode && all.size() == 1) {
    cells_[c].levels |= bit(kNode);
    return halve(c);
  }
  const auto inside = [&](NodeRange range) {
    if (range == all) {  // a level that does not divide it
      cells_[c].levels |= bit(level);
      return grow(c, level - 1);
    }
    const std::uint32_t child = add(c, range, 0);
    cells_[child].levels = bit(level);
    if (level == kNode)
      halve(child);
    else
      grow(child, level - 1);
  };
  for (std::uint32_t n = all.first; n < all.last;) {
    NodeRange range{n, n + 1};
    if (level != kNode) {
      const auto& domains = fleet_->domains[level];
      range = domains[fleet_->domain_of[level][NodeId{n}]];
    }
    inside(range);
    n = range.last;
  }
}

/// Halves of halves; an odd number of GPUs comes apart at once.
void CellTree::halve(std::uint32_t c) {
  const NodeRange node = cells_[c].nodes;
  const GpuMask gpus = cells_[c].gpus != 0 ? cells_[c].gpus : gpus_of(node.first);
  const std::uint32_t size = muster::count(gpus);
  if (size < 2) return;
  const std::uint32_t step = size % 2 == 0 ? size / 2 : 1;
  for (GpuMask left = gpus; left != 0;) {
    const GpuMask part = lowest(left, step);
    left ^= part;
    halve(add(c, node, part));
  }
}

std::vector<std::uint32_t> CellTree::of_kind(const Kind& kind) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < cells_.size(); ++i) {
    const Cell& c = cells_[i];
    if (c.size == 0) continue;
    if (kind.gpus > 0 ? c.nodes.size() != 1 || c.size != kind.gpus
                      : !(c.levels & bit(static_cast<std::size_t>(kind.level))))
      continue;
    if (!kind.gpu_type.empty() &&
        (c.pool == Cell::kSeveral || fleet_->pools[c.pool].gpu_type != kind.gpu_type))
      continue;
    found.push_back(i);
  }
  return found;
}

std::uint32_t CellTree::choose(const std::vector<std::uint32_t>& among, const Cluster& now) const {
  std::uint32_t best = kNone;
  std::pair<std::uint32_t, std::uint32_t> least{UINT32_MAX, UINT32_MAX};  // nodes out, GPUs split
  std::uint32_t idlest = 0;
  for (const std::uint32_t c : among) {
    const std::uint32_t split = split_for(c);
    if (split == 0) continue;
    const std::pair rank{out_of_service(c, now), split};
    if (rank > least || rank.first == cells_[c].nodes.size()) continue;
    const std::uint32_t in_use = busy(c, now);
    if (rank == least && in_use >= idlest) continue;
    best = c;
    least = rank;
    idlest = in_use;
  }
  return best;
}

std::uint32_t CellTree::split_for(std::uint32_t c) const {
  if (cells_[c].bound_in > 0) return 0;
  std::uint32_t top = c;
  for (std::uint32_t at = c; cells_[at].parent != at;) {
    at = cells_[at].parent;
    if (cells_[at].bound) return 0;
    if (cells_[at].bound_in == 0) top = at;
  }
  return cells_[top].size;
}

std::uint32_t CellTree::busy(std::uint32_t c, const Cluster& now) const {
  std::uint32_t in_use = 0;
  each_node(c, [&](std::uint32_t n, GpuMask gpus) {
    in_use += muster::count(gpus & ~now.free(NodeId{n}));
    return true;
  });
  return in_use;
}

std::uint32_t CellTree::out_of_service(std::uint32_t c, const Cluster& now) const {
  std::uint32_t out = 0;
  each_node(c, [&](std::uint32_t n, GpuMask) {
    out += now.fenced(NodeId{n});
    return true;
  });
  return out;
}

void CellTree::count(std::uint32_t c, bool bound) {
  MUSTER_CHECK(cells_[c].bound != bound);
  cells_[c].bound = bound;
  for (std::uint32_t at = c;; at = cells_[at].parent) {
    if (bound)
      ++cells_[at].bound_in;
    else
      --cells_[at].bound_in;
    if (cells_[at].parent == at) return;
  }
}

}  // namespace muster::cells
