#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/cost/max_min.hpp"
#include "muster/policy/cost_options.hpp"
#include "muster/topology/links.hpp"

namespace muster {

/// What a placement has to do with the links of the fleet.
struct Crossing {
  /// A leaf or pod that it leaves, and the rails that it uses there.
  struct Border {
    Level level;
    std::uint32_t domain = 0;
    std::uint64_t rails = 0;
    std::uint32_t nodes = 0;  // that it has inside
    double times = 1;         // goes over it of what goes out of one node
  };
  double sends = 0;  // bytes/s out of each node with all its NICs have; of the node with the fewest
  double narrowest = 0;             // bytes/s that the links on the way leave it, alone
  double built_for = 0;             // the same if all carried what they were built for
  Links::Id narrow = Links::kNone;  // which of them
  std::vector<Border> borders;      // where less may go up than nodes send
  std::vector<MaxMin::Use> nics;    // that it shares with other GPUs of their nodes
  /// What is left it of what its links were built for.
  double left() const { return narrowest / built_for; }
};

/// Reads crossings off placements, and says which links of the solver they use.
///
/// Rails of a domain are one link as long as everybody uses all of them and all are alike, and a link each
/// from then on: the rates are the same, and most fleets never need more.
///
/// A job goes at the pace of the slowest rail that it uses. Where one is broken and the nodes can change rails
/// inside (PXN) it uses the others; where they can't it waits.
class Crossings {
 public:
  Crossings(const Fleet& fleet, const CostOptions& cost, MaxMin& net);

  /// Its nodes are not all in one NVLink domain.
  bool on_network(std::span<const Slice> where) const;
  Crossing of(std::span<const Slice> where);

  /// Whether some domain has its rails apart from now on. Then uses() of who is there changes.
  bool split(const Crossing& crossing);
  std::span<const MaxMin::Use> uses(const Crossing& crossing);
  /// Links from now on carry this share of what they were built for. Crossings must be read anew.
  void set_health(std::span<const Links::Id> links, double health);

  const Links& links() const { return links_; }
  /// "the rails of leaf 3 let", "the uplink of pod 0 lets"
  std::string name(Links::Id link) const;

 private:
  /// What a node with some of its GPUs has.
  struct Ports {
    const Wiring* wiring = nullptr;
    GpuMask gpus = 0;
    std::uint64_t nics = 0, shared = 0;
  };

  static std::size_t index(Level level) { return static_cast<std::size_t>(level); }
  std::uint32_t domain(Level level, NodeId n) const { return fleet_.domain_of[index(level)][n]; }
  std::uint64_t all_rails(const Crossing::Border& b) const {
    return first_gpus(links_.rails(b.level, b.domain));
  }
  void note_blocking(Level level, std::uint32_t domain);
  void add(Crossing::Border border, std::span<const Slice> where, Crossing& crossing) const;
  std::uint64_t rails_left(const Crossing::Border& b) const;
  double passes(const Crossing::Border& b, Links::Id& slowest) const;
  double built_for(const Crossing::Border& b) const;
  const Ports& ports(const Wiring& wiring, GpuMask gpus);
  void visit(NodeId n, GpuMask gpus, Crossing& crossing);
  std::uint64_t working(NodeId n, const Wiring& wiring, std::uint64_t nics) const;
  MaxMin::Link link(Links::Id id, double times, std::uint64_t kind);

  const Fleet& fleet_;
  double efficiency_;
  bool all_to_all_;
  MaxMin& net_;
  Links links_;
  bool hurt_ = false;                                        // some link has ever carried less
  std::array<std::vector<bool>, kLevels> blocking_, split_;  // by domain
  std::array<std::vector<Crossing::Border>, kLevels> used_;  // scratch
  double pace_ = 0;                                          // scratch: what NICs send by now
  Links::Id slow_nic_ = Links::kNone;                        // scratch
  Ports ports_;                                              // of the last node
  std::vector<MaxMin::Use> uses_;                            // scratch
  struct Known {
    MaxMin::Link link;
    double times;
  };
  std::map<std::uint64_t, Known> known_;
};

}  // namespace muster
