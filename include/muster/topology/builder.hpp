#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "muster/topology/graph.hpp"
#include "muster/topology/wiring.hpp"

namespace muster {

/// The links of a part of the fleet, by their lower end.
struct LinkRates {
  Link nvlink;  // node to its NVLink switches (only domains wider than a node)
  Link node;    // node to leaf
  Link leaf;    // leaf to pod
  Link pod;     // pod to core
  std::optional<double> storage_bytes_per_s;  // of all the storage of a fabric; empty: not said
};

/// Nodes that are all alike, wired in order: the first `nodes_per_leaf` under one leaf, and so on.
/// Zero means that the level is not used: all nodes that do not say are under the same one.
struct NodeGroup {
  std::uint64_t count = 0;
  std::uint64_t gpus = 0;
  std::string gpu_type;
  std::string mig;     // layout of GPUs in MIG mode (see mig.hpp), "": they are whole
  std::string prefix;  // nodes are called prefix0, prefix1, ...; "": n0, n1, ... through the fleet
  std::string fabric;  // groups that name the same fabric meet at its core
  std::uint64_t nvlink_nodes = 1;
  std::uint64_t nodes_per_leaf = 0;
  std::uint64_t leaves_per_pod = 0;
  std::uint64_t pods_per_fabric = 0;
  LinkRates links;
  WiringSaid wiring;
  /// Instead of a rate of `links`: how many times less goes up than the nodes below can send. 0: not said.
  double leaf_oversubscription = 0, pod_oversubscription = 0;
};

/// One node that names the domains it is in; "" as for NodeGroup, and an NVLink domain of its own.
struct NamedNode {
  std::string id;
  std::uint64_t gpus = 0;
  std::string gpu_type;
  std::string mig;
  std::string nvlink, leaf, pod, fabric;
  LinkRates links;
  WiringSaid wiring;
};

/// Makes a FleetGraph of groups and single nodes. `where` starts the message of an InputError.
/// A switch takes the link of the group or node that mentions it first.
class GraphBuilder {
 public:
  void add(const NodeGroup& group, std::string_view where);
  void add(const NamedNode& node, std::string_view where);
  FleetGraph take() { return std::move(graph_); }

 private:
  using Part = FleetGraph::Part;
  using Vertex = FleetGraph::Vertex;

  Vertex fresh(Part part, std::string name, Vertex parent, const Link& up);
  Vertex unnamed(Part part, Vertex parent, const Link& up);
  Vertex named(Part part, const std::string& name, Vertex parent, const Link& up,
               const std::string& node, std::string_view where);
  void count_nodes(std::uint64_t more, std::string_view where);
  /// The wiring of nodes that are alike; `wide`: they are in an NVLink domain wider than a node.
  std::uint16_t wiring(const WiringSaid& said, const std::string& gpu_type, std::uint64_t gpus,
                       const LinkRates& links, bool wide, std::string_view where);
  /// The links of a group, with those that it says by how much they are oversubscribed.
  LinkRates rates(const NodeGroup& group, std::uint16_t wired, std::string_view where) const;
  void store(Vertex core, const LinkRates& links, std::string_view where);

  struct Mention {
    Vertex vertex = 0;
    Vertex parent = 0;
    std::string node;  // the first that named the domain, to quote when another contradicts it
  };
  FleetGraph graph_;
  std::array<std::unordered_map<std::string, Mention>, 5> named_;
  std::unordered_map<std::uint64_t, Vertex> unnamed_;  // by part and parent
};

}  // namespace muster
