#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "muster/cluster/cluster.hpp"

namespace muster::cells {

/// A cell: GPUs that are near each other, and can be handed out as one. A fleet is a tree of them: fabrics,
/// pods, leaves, NVLink domains, nodes, and inside a node halves of halves down to single GPUs.
struct Cell {
  std::uint32_t parent = 0;  // of the root: itself
  NodeRange nodes;
  GpuMask gpus = 0;            // of a part of a node; 0: all GPUs of all of its nodes
  std::uint32_t size = 0;      // GPUs
  std::uint8_t levels = 0;     // one bit per Level that it is a domain of; none inside a node
  std::uint32_t pool = 0;      // of its GPUs, or kSeveral
  std::uint32_t bound_in = 0;  // bound cells in it, itself among them
  bool bound = false;

  static constexpr std::uint32_t kSeveral = UINT32_MAX;
};

/// "node", "leaf", "4gpu", "node:H100": the cells that are alike in this.
struct Kind {
  Level level = Level::node;
  std::uint32_t gpus = 0;  // inside a node; 0: go by `level`
  std::string gpu_type;    // "": any
  friend bool operator==(const Kind&, const Kind&) = default;
};
std::string text_of(const Kind& kind);

/// The cells of a fleet, and which of them are bound. Cells are found by the buddy rule: a free cell of
/// the kind is taken before a larger one is split for it, and of larger ones the smallest is split. So
/// what is bound can be bound in any order (HiveD, section 3.3 and its theorem), where cells of a kind
/// are alike and are made of the same number of the next smaller ones.
///
/// GPUs in MIG mode are in no cell.
class CellTree {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit CellTree(const Fleet& fleet);

  const Cell& cell(std::uint32_t c) const { return cells_[c]; }
  /// The cells of a kind, in node order.
  std::vector<std::uint32_t> of_kind(const Kind& kind) const;
  /// Of `among` the one to bind; kNone if none is free, or has a node in service. First the one with fewest
  /// nodes out of service, then by the buddy rule; where that leaves a choice it goes by how few GPUs of the
  /// cell are in use on `now`, then by node order.
  std::uint32_t choose(const std::vector<std::uint32_t>& among, const Cluster& now) const;
  void bind(std::uint32_t c) { count(c, true); }
  void unbind(std::uint32_t c) { count(c, false); }

  /// Calls `visit(node, mask)` for the nodes of `c` that have GPUs in it, until it returns false.
  template <class Visit>
  void each_node(std::uint32_t c, Visit visit) const {
    const Cell& cell = cells_[c];
    for (std::uint32_t n = cell.nodes.first; n < cell.nodes.last; ++n) {
      const GpuMask gpus = cell.gpus != 0 ? cell.gpus : gpus_of(n);
      if (gpus != 0 && !visit(n, gpus)) return;
    }
  }

 private:
  GpuMask gpus_of(std::uint32_t node) const;
  std::uint32_t add(std::uint32_t parent, NodeRange nodes, GpuMask gpus);
  void grow(std::uint32_t c, std::size_t level);
  void halve(std::uint32_t c);
  void count(std::uint32_t c, bool bound);
  /// GPUs of the free cell that would be split for `c`, or of `c` itself; 0 if `c` is not free.
  std::uint32_t split_for(std::uint32_t c) const;
  std::uint32_t busy(std::uint32_t c, const Cluster& now) const;
  std::uint32_t out_of_service(std::uint32_t c, const Cluster& now) const;

  const Fleet* fleet_;
  std::vector<Cell> cells_;
};

}  // namespace muster::cells
