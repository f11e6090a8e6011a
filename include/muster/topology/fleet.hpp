#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/topology/mig.hpp"

namespace muster {

/// How near the GPUs of one gang are to each other, from tightest to widest.
enum class Level : std::uint8_t { node, nvlink, leaf, pod, fabric, fleet };
inline constexpr std::size_t kLevels = 6;

/// "node", "nvlink", "leaf", "pod", "fabric", "fleet".
std::string_view name(Level);

/// A half-open range of nodes. Nodes are numbered depth first, so every domain is one range.
struct NodeRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t size() const { return last - first; }
  auto operator<=>(const NodeRange&) const = default;
};

/// A pool is all GPUs of one type, and of one way to be in MIG mode. A fleet has at most 64 pools (one bit each in a PoolMask).
using PoolMask = std::uint64_t;

struct Fabric;
struct Wiring;

/// The machines, flattened for the hot loop and immutable during a run. Made by topology/compile
/// from the Boost.Graph description, which is where it is validated.
struct Fleet {
  struct Node {
    std::uint8_t gpus = 0;  // at most 64: one bit each in a GpuMask. In MIG mode: slots, 8 to a GPU
    std::uint8_t pool = 0;
  };
  struct Pool {
    std::string gpu_type;    // as written in the fleet, "" if it does not say
    std::uint32_t gpus = 0;  // GPUs in all
    std::uint32_t nodes = 0;
    std::uint8_t widest = 0;                 // GPUs of the widest node; in MIG mode its slots
    std::shared_ptr<const MigLayout> mig{};  // null: not in MIG mode
    std::uint32_t bits_per_gpu() const { return mig ? kMigSlots : 1; }
  };

  std::string name;                // shorthand or file it was made from, for reports
  std::string source;              // where the numbers are from, "" if it does not say
  std::vector<std::string> notes;  // what was left out or assumed while reading, for reports
  IdVector<NodeId, Node> nodes;
  std::vector<std::string> node_names;  // empty: nodes are called n0, n1, ...
  std::vector<Pool> pools;              // by first appearance
  std::uint32_t gpus = 0;               // in all
  std::uint8_t widest = 0;              // bits of the widest node, see Node::gpus

  /// domains[level]: the domains of that level in node order; together they cover all nodes.
  /// domains[node] stays empty (a node is its own domain). A level that the description does not
  /// use repeats the level above it; nvlink then has a domain per node.
  std::array<std::vector<NodeRange>, kLevels> domains;
  std::array<std::vector<std::string>, kLevels> domain_names;  // empty, or one per domain
  /// domain_of[level][node]: index into domains[level]. Empty for node.
  std::array<IdVector<NodeId, std::uint32_t>, kLevels> domain_of;
  /// How everything is wired (topology/fabric.hpp). Never null after index().
  std::shared_ptr<const Fabric> fabric;

  std::uint32_t gpus_of(NodeId n) const {
    return nodes[n].gpus / pools[nodes[n].pool].bits_per_gpu();
  }
  std::string node_name(NodeId n) const {
    return node_names.empty() ? "n" + std::to_string(n.value) : node_names[n.value];
  }
  std::string domain_name(Level level, std::uint32_t index) const;
  const Wiring& wiring(NodeId n) const;

  /// `count` nodes of `gpus` GPUs, one leaf, one pod, one fabric, one type. For tests and oracles;
  /// people write "64x8".
  static Fleet uniform(std::uint32_t count, std::uint8_t gpus);

  /// Fills gpus, widest, pools' counts and domain_of from nodes, pools' types and domains.
  /// A level without domains gets one domain per domain of the next wider level that has some
  /// (nvlink: one per node). Without a fabric, nodes get the wiring that is usual for their type of GPU.
  /// Aborts if domains do not partition the nodes or are not nested.
  void index();
};

}  // namespace muster
