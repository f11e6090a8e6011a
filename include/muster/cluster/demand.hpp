#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "muster/core/time.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// How a request that names only a number of GPUs is cut into nodes.
enum class Span : std::uint8_t {
  whole_nodes,  // up to a node: on one node; wider: whole nodes, the remainder on the tightest other
  idle_nodes,   // the same, but a wider gang's remainder also wants an idle node
  most_free,    // the same, but the remainder goes to the emptiest other node
  any           // any free GPUs of any nodes
};
inline constexpr std::string_view kSpanNames[] = {"whole_nodes", "idle_nodes", "most_free", "any"};

/// Where a MIG instance goes, see place_instance().
enum class MigPlacement : std::uint8_t { keep_largest, first_free };
inline constexpr std::string_view kMigPlacementNames[] = {"keep_largest", "first_free"};

/// To what a bare number of GPUs is rounded up.
enum class Rounding : std::uint8_t { none, power_of_two };
inline constexpr std::string_view kRoundingNames[] = {"none", "power_of_two"};

struct Cutting {
  Span span = Span::whole_nodes;
  Rounding rounding = Rounding::none;
  Level required = Level::fleet;   // for shapes that do not say
  Level preferred = Level::fleet;  // for shapes that do not say
  MigPlacement mig_placement = MigPlacement::keep_largest;
  Duration mig_reconfigure{};  // what making a MIG instance takes
};

/// A Shape resolved against a fleet: which pools, how many GPUs on how many nodes, how near.
struct Demand {
  std::uint32_t gpus = 0;      // in all; of whole nodes of several widths: the most it may get
  std::uint32_t nodes = 0;     // 0 = bare GPUs, cut by `span`
  std::uint32_t per_node = 0;  // with nodes: GPUs on each; 0 = whole idle nodes
  std::uint32_t unused = 0;    // of `gpus`: what rounding adds to what it asks for
  std::uint32_t milli = 1000;  // share of one GPU; of a MIG instance what a slot is
  std::uint32_t widest = 0;    // GPUs of the widest node in `pools`
  std::uint32_t least = 0;  // GPUs that must be free at the least: whole nodes may be narrow ones
  PoolMask pools = 0;       // 0: no pool has an allowed type
  Level required = Level::fleet;
  Level preferred = Level::fleet;
  Span span = Span::whole_nodes;
  std::vector<std::uint32_t> tasks;  // unequal tasks, GPUs each, descending; empty = none
  MigId mig = 0;                     // a MIG instance: `gpus` are its slots
  MigPlacement mig_placement = MigPlacement::keep_largest;
  Duration setup{};       // before the run, if the instance must be made first
  NameId model{};         // what is trained, "" where that makes no difference
  bool by_count = false;  // fits if and only if the allowed pools have enough free GPUs

  /// GPU thousandths in all: what the books charge.
  std::int64_t total_milli() const { return std::int64_t{gpus} * milli; }
  /// GPUs that it is on, in whole or in part.
  std::uint32_t gpus_touched() const { return mig != 0 ? 1 : gpus; }
};

/// Resolves one shape. Never fails: what can't be satisfied is found out by could_ever_fit(). `within`:
/// as if the fleet had these pools only.
Demand resolve(const Shape& shape, const Names& names, const Fleet& fleet, const Cutting& cutting,
               PoolMask within = ~PoolMask{0});
IdVector<ShapeId, Demand> resolve_all(const Workload& w, const Fleet& fleet,
                                      const Cutting& cutting);

/// "8 whole nodes", "2 nodes x 4 GPUs", "16 GPUs", "0.25 GPU", with the level if one is required.
std::string describe(const Demand& d);

}  // namespace muster
