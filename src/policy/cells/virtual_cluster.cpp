#include "virtual_cluster.hpp"

#include <bit>
#include <charconv>
#include <map>

#include "muster/core/error.hpp"

namespace muster::cells {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The number at the beginning of `text`, which it is cut from; 0 if there is none.
std::uint32_t leading_number(std::string_view& text) {
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{}) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return n;
}

[[noreturn]] void not_cells(const std::string& where, std::string_view term) {
  throw InputError(
      where, "expected cells such as 2xnode + 1x4gpu, got \"" + std::string{term} + "\"",
      "a cell is node, nvlink, leaf, pod, fabric or fleet, or a part of a node (1gpu, 2gpu, 4gpu); "
      "the type of its GPUs may follow, as in 2xnode:H100");
}

Assigned parse_term(std::string_view term, const std::string& where) {
  std::string_view rest = term;
  Assigned a;
  a.count = leading_number(rest);
  if (a.count == 0 || rest.empty() || rest.front() != 'x') not_cells(where, term);
  rest.remove_prefix(1);
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    a.kind.gpu_type = rest.substr(colon + 1);
    if (a.kind.gpu_type.empty()) not_cells(where, term);
    rest = rest.substr(0, colon);
  }
  for (std::size_t l = 0; l < kLevels; ++l)
    if (rest == name(static_cast<Level>(l))) {
      a.kind.level = static_cast<Level>(l);
      return a;
    }
  a.kind.gpus = leading_number(rest);
  if (a.kind.gpus == 0 || rest != "gpu") not_cells(where, term);
  return a;
}

/// Whether two cells are made of the same parts in the same order.
bool alike(const CellTree& tree, const Fleet& fleet, std::uint32_t a, std::uint32_t b) {
  const NodeRange x = tree.cell(a).nodes, y = tree.cell(b).nodes;
  if (x.size() != y.size() || tree.cell(a).size != tree.cell(b).size) return false;
  for (std::uint32_t i = 0; i < x.size(); ++i) {
    const Fleet::Node& n = fleet.nodes[NodeId{x.first + i}];
    const Fleet::Node& m = fleet.nodes[NodeId{y.first + i}];
    if (n.pool != m.pool || (tree.cell(a).gpus == 0 && n.gpus != m.gpus)) return false;
  }
  return true;
}

/// The cells of a kind. Throws InputError unless there are `a.count` of them, and all alike.
std::vector<std::uint32_t> cells_of(const Assigned& a, const CellTree& tree, const Fleet& fleet,
                                    const std::string& where) {
  std::vector<std::uint32_t> all = tree.of_kind(a.kind);
  if (all.size() < a.count)
    throw InputError(where,
                     "asks for " + std::to_string(a.count) + "x" + text_of(a.kind) +
                         ", the fleet has " + std::to_string(all.size()) + " such cells",
                     "muster fleet show lists the domains of each level");
  for (const std::uint32_t c : all)
    if (!alike(tree, fleet, all.front(), c))
      throw InputError(where,
                       "cells " + text_of(a.kind) + " of the fleet are not alike: one has " +
                           std::to_string(tree.cell(all.front()).size) + " GPUs, another " +
                           std::to_string(tree.cell(c).size),
                       "name cells that are, or the type of their GPUs, as in 2xnode:H100");
  return all;
}

}  // namespace

std::vector<Assigned> parse_cells(std::string_view text, const std::string& where) {
  std::vector<Assigned> cells;
  for (std::string_view rest = text;;) {
    const std::size_t plus = rest.find('+');
    cells.push_back(parse_term(trimmed(rest.substr(0, plus)), where));
    if (plus == std::string_view::npos) return cells;
    rest.remove_prefix(plus + 1);
  }
}

std::string text_of(const std::vector<Assigned>& cells) {
  std::string text;
  for (const Assigned& a : cells)
    text += (text.empty() ? "" : " + ") + std::to_string(a.count) + "x" + text_of(a.kind);
  return text;
}

namespace {

/// The domains of each level in a fleet that is made cell by cell.
struct Domains {
  Fleet& fleet;

  /// Nodes `to` are, level by level, in domains as the nodes `from` of `model`; a cell is a domain of its
  /// own at levels as wide as it or wider.
  void copy(const Fleet& model, NodeRange from, NodeRange to) {
    for (std::size_t l = 1; l + 1 < kLevels; ++l) {
      std::vector<NodeRange>& domains = fleet.domains[l];
      for (std::uint32_t i = 0; i < to.size(); ++i) {
        const IdVector<NodeId, std::uint32_t>& of = model.domain_of[l];
        const bool begins = i == 0 || of[NodeId{from.first + i}] != of[NodeId{from.first + i - 1}];
        if (begins) domains.push_back({to.first + i, to.first + i});
        ++domains.back().last;
      }
    }
  }
};

}  // namespace

VirtualCluster::VirtualCluster(std::string name, const Fleet& fleet, const CellTree& tree,
                               const std::vector<Assigned>& cells, bool track_domains,
                               const std::string& where)
    : name_(std::move(name)), free_(fleet, false) {
  auto own = std::make_shared<Fleet>();
  own->name = name_;
  own->pools = fleet.pools;
  for (const Assigned& a : cells) {
    kinds_.push_back(cells_of(a, tree, fleet, where));
    const Cell& model = tree.cell(kinds_.back().front());
    parts_ |= model.gpus != 0;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      const auto first = static_cast<std::uint32_t>(own->nodes.size());
      for (std::uint32_t n = model.nodes.first; n < model.nodes.last; ++n) {
        Fleet::Node node = fleet.nodes[NodeId{n}];
        if (model.gpus != 0) node.gpus = static_cast<std::uint8_t>(model.size);
        own->nodes.push_back(node);
        cell_of_.push_back(static_cast<std::uint32_t>(cells_.size()));
      }
      Domains{*own}.copy(fleet, model.nodes, {first, first + model.nodes.size()});
      cells_.push_back({kinds_.size() - 1, first, model.nodes.size()});
    }
  }
  own->index();
  own_ = std::move(own);
  free_ = Cluster(*own_, track_domains);
}

Demand VirtualCluster::adapted(Demand d) const {
  if (parts_ && d.nodes > 0 && d.per_node == 0) d.per_node = d.widest;
  return d;
}

bool VirtualCluster::take(CellTree& tree, const Cluster& now, const Demand& d, Placer& placer,
                          std::vector<Slice>& own, std::vector<Slice>& out) {
  bool found = placer.place(free_, d, own);
  // Each turn fences at least one more node, so this ends.
  bool retried = false;
  while (found && !bind_for(tree, now, own)) {
    lame_ = retried = true;
    found = placer.place(free_, d, own);
  }
  if (found) {
    free_.take(own, d.milli);
    each_cell(own, [](Owned& c) { ++c.uses; });
    map(tree, own, out);
  }
  if (retried)
    for (Owned& c : cells_) release_if_idle(tree, c);
  return found;
}

bool VirtualCluster::bind_for(CellTree& tree, const Cluster& now, std::span<const Slice> own) {
  bool all = true;
  each_cell(own, [&](Owned& c) {
    if (c.bound == CellTree::kNone && !bind(tree, now, c))
      for (std::uint32_t n = c.first; n < c.first + c.nodes; ++n) fence(n, true);
  });
  for (const Slice& s : own)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      all &= !free_.fenced(NodeId{n});
  return all;
}

void VirtualCluster::give_back(CellTree& tree, std::span<const Slice> own, std::uint32_t milli) {
  free_.give_back(own, milli);
  each_cell(own, [](Owned& c) { --c.uses; });
  each_cell(own, [&](Owned& c) { release_if_idle(tree, c); });
}

void VirtualCluster::release_if_idle(CellTree& tree, Owned& cell) {
  if (cell.uses > 0) return;
  for (std::uint32_t n = cell.first; n < cell.first + cell.nodes; ++n) fence(n, false);
  if (cell.bound != CellTree::kNone) tree.unbind(cell.bound);
  cell.bound = CellTree::kNone;
}

void VirtualCluster::begin_pass(const CellTree& tree, const Cluster& now, bool outages) {
  lame_ = false;
  if (!outages) return;
  for (const Owned& c : cells_)
    if (c.bound != CellTree::kNone) heed(tree, now, c);
}

void VirtualCluster::heed(const CellTree& tree, const Cluster& now, const Owned& cell) {
  const std::uint32_t first = tree.cell(cell.bound).nodes.first;
  for (std::uint32_t i = 0; i < cell.nodes; ++i)
    fence(cell.first + i, now.fenced(NodeId{first + i}));
}

void VirtualCluster::fence(std::uint32_t node, bool out) {
  const NodeId n{node};
  if (free_.fenced(n) == out) return;
  if (out)
    free_.fence(n);
  else
    free_.unfence(n);
}

bool VirtualCluster::bind_all(CellTree& tree, const Cluster& now) {
  bool all = true;
  for (Owned& c : cells_) all &= c.bound != CellTree::kNone || bind(tree, now, c);
  return all;
}

bool VirtualCluster::bind(CellTree& tree, const Cluster& now, Owned& cell) {
  cell.bound = tree.choose(kinds_[cell.kind], now);
  if (cell.bound == CellTree::kNone) return false;
  tree.bind(cell.bound);
  heed(tree, now, cell);
  return true;
}

template <class Visit>
void VirtualCluster::each_cell(std::span<const Slice> own, Visit visit) {
  for (const Slice& s : own)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      if (n == s.first.value || cell_of_[n] != cell_of_[n - 1]) visit(cells_[cell_of_[n]]);
}

/// The GPUs of the fleet that stand for `own`, in node order.
void VirtualCluster::map(const CellTree& tree, std::span<const Slice> own,
                         std::vector<Slice>& out) const {
  std::map<std::uint32_t, GpuMask> gpus;
  for (const Slice& s : own)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      const Owned& owned = cells_[cell_of_[n]];
      const Cell& cell = tree.cell(owned.bound);
      const int shift = cell.gpus != 0 ? std::countr_zero(cell.gpus) : 0;
      gpus[cell.nodes.first + (n - owned.first)] |= s.gpus << shift;
    }
  out.clear();
  for (const auto& [n, mask] : gpus) append(out, n, mask);
}

}  // namespace muster::cells
