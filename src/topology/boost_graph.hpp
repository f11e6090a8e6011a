#pragma once
#include <boost/graph/adjacency_list.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/topology/graph.hpp"
#include "muster/topology/wiring.hpp"

namespace muster {

/// 40 bytes: a million of them must not hurt.
struct VertexData {
  std::string name;
  std::uint16_t gpus = 0;
  std::uint16_t gpu_type = 0;
  std::uint16_t wiring = 0;  // index into Inside::wirings
  FleetGraph::Part part = FleetGraph::Part::node;
};

/// vecS twice: vertices are dense numbers, and the links of a vertex keep the order they were made in,
/// which is the order of siblings.
using BoostGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, VertexData, Link>;
using BoostEdge = boost::graph_traits<BoostGraph>::edge_descriptor;

struct FleetGraph::Inside {
  struct GpuType {
    std::string name;
    std::string mig;  // layout, "" if not in MIG mode
  };
  BoostGraph graph;
  std::vector<GpuType> gpu_types;
  std::unordered_map<std::string, std::uint32_t> gpu_type_of;  // by layout and name
  std::vector<Wiring> wirings{Wiring{}};                       // the first stands for the usual one
  std::unordered_map<Vertex, double> storage;                  // bytes/s, of cores that say it
  std::uint32_t nodes = 0;
};

/// The graph read as a forest, which validate() proves it to be.
struct Forest {
  static constexpr FleetGraph::Vertex kNone = UINT32_MAX;
  std::vector<FleetGraph::Vertex> parent;  // leaf of a node, pod of a leaf, core of a pod
  std::vector<FleetGraph::Vertex> nvlink;  // of a node; kNone: a domain of its own
};

/// Throws InputError if the graph is not a fleet.
Forest checked_forest(const FleetGraph::Inside& inside, std::string_view where);

}  // namespace muster
