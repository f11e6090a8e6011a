#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cell_tree.hpp"
#include "muster/policy/parts/placer.hpp"

namespace muster::cells {

/// So many cells of a kind.
struct Assigned {
  std::uint32_t count = 0;
  Kind kind;
};
/// Reads "2xnode + 1x4gpu". Throws InputError, with `where` in front.
std::vector<Assigned> parse_cells(std::string_view text, const std::string& where);
std::string text_of(const std::vector<Assigned>& cells);

/// A tenant's private cluster: a small fleet made of its cells, in which its jobs are placed as if there
/// were nothing else. Each cell is bound to one of the fleet from when a job is first on it until none is.
class VirtualCluster {
 public:
  /// Throws InputError, with `where` in front, if the fleet has no such cells.
  VirtualCluster(std::string name, const Fleet& fleet, const CellTree& tree,
                 const std::vector<Assigned>& cells, bool track_domains, const std::string& where);

  const std::string& name() const { return name_; }
  const Fleet& fleet() const { return *own_; }
  const Cluster& cluster() const { return free_; }
  std::size_t cells() const { return cells_.size(); }
  std::uint32_t bound(std::size_t cell) const { return cells_[cell].bound; }  // kNone: not bound

  /// If there are `outages`, nodes out of service in bound cells are out of service here.
  void begin_pass(const CellTree& tree, const Cluster& now, bool outages);
  /// Whether, in this pass, nodes out of service kept a job from having a place.
  bool lame() const { return lame_; }

  /// Takes GPUs for `d`: `own`, of this cluster, and `out`, those of the fleet that these are bound to.
  /// `now`: who holds what in the fleet, for the choice of cells.
  bool take(CellTree& tree, const Cluster& now, const Demand& d, Placer& placer,
            std::vector<Slice>& own, std::vector<Slice>& out);
  void give_back(CellTree& tree, std::span<const Slice> own, std::uint32_t milli);
  /// Binds all of its cells; false if the fleet has no room for one of them.
  bool bind_all(CellTree& tree, const Cluster& now);
  /// `d`, as it is here: a part of a node is no whole node.
  Demand adapted(Demand d) const;

 private:
  struct Owned {
    std::size_t kind;     // of kinds_
    std::uint32_t first;  // node here
    std::uint32_t nodes;
    std::uint32_t bound = CellTree::kNone;
    std::uint32_t uses = 0;  // by jobs
  };
  bool bind(CellTree& tree, const Cluster& now, Owned& cell);
  void release_if_idle(CellTree& tree, Owned& cell);
  /// Binds what `own` needs. False if some of that is out of service: it is fenced then.
  bool bind_for(CellTree& tree, const Cluster& now, std::span<const Slice> own);
  void heed(const CellTree& tree, const Cluster& now, const Owned& cell);
  void fence(std::uint32_t node, bool out);
  /// Calls `visit(cell)` for each that has GPUs in `own`.
  template <class Visit>
  void each_cell(std::span<const Slice> own, Visit visit);
  void map(const CellTree& tree, std::span<const Slice> own, std::vector<Slice>& out) const;

  std::string name_;
  std::vector<std::vector<std::uint32_t>> kinds_;  // the fleet's cells of each
  std::vector<Owned> cells_;
  std::vector<std::uint32_t> cell_of_;  // by node here
  bool parts_ = false;                  // some cells are parts of nodes
  bool lame_ = false;
  std::shared_ptr<const Fleet> own_;
  Cluster free_;
};

}  // namespace muster::cells
