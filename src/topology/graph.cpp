#include "muster/topology/graph.hpp"

#include <algorithm>

#include "muster/core/check.hpp"
#include "topology/boost_graph.hpp"

namespace muster {

FleetGraph::FleetGraph() : inside_(std::make_unique<Inside>()) {}
FleetGraph::~FleetGraph() = default;
FleetGraph::FleetGraph(FleetGraph&&) noexcept = default;
FleetGraph& FleetGraph::operator=(FleetGraph&&) noexcept = default;

std::uint32_t FleetGraph::gpu_type(std::string_view type, std::string_view mig) {
  const auto next = static_cast<std::uint32_t>(inside_->gpu_types.size());
  const std::string key =
      std::string{mig} + " " + std::string{type};  // no layout has a space in it
  const auto [known, is_new] = inside_->gpu_type_of.try_emplace(key, next);
  if (is_new) inside_->gpu_types.push_back({std::string{type}, std::string{mig}});
  return known->second;
}

std::uint16_t FleetGraph::wiring(const Wiring& wiring) {
  std::vector<Wiring>& known = inside_->wirings;
  const auto at = std::find(known.begin() + 1, known.end(), wiring);
  const auto number = static_cast<std::size_t>(at - known.begin());
  MUSTER_CHECK(number <= UINT16_MAX);
  if (at == known.end()) known.push_back(wiring);
  return static_cast<std::uint16_t>(number);
}

const Wiring& FleetGraph::wiring(std::uint16_t number) const {
  MUSTER_CHECK(number < inside_->wirings.size());
  return inside_->wirings[number];
}

FleetGraph::Vertex FleetGraph::add_node(std::string name, std::uint32_t gpus,
                                        std::uint32_t gpu_type, std::uint16_t wiring) {
  MUSTER_CHECK(gpu_type < inside_->gpu_types.size() && wiring < inside_->wirings.size());
  // More than fit would be refused anyway; what matters is that the number is kept as too big.
  const auto type = static_cast<std::uint16_t>(std::min<std::uint32_t>(gpu_type, UINT16_MAX));
  const auto count = static_cast<std::uint16_t>(std::min<std::uint32_t>(gpus, UINT16_MAX));
  ++inside_->nodes;
  return static_cast<Vertex>(boost::add_vertex(
      VertexData{std::move(name), count, type, wiring, Part::node}, inside_->graph));
}

FleetGraph::Vertex FleetGraph::add_switch(Part part, std::string name) {
  MUSTER_CHECK(part != Part::node);
  return static_cast<Vertex>(
      boost::add_vertex(VertexData{std::move(name), 0, 0, 0, part}, inside_->graph));
}

void FleetGraph::connect(Vertex a, Vertex b, const Link& link) {
  MUSTER_CHECK(a < vertices() && b < vertices());
  boost::add_edge(a, b, link, inside_->graph);
}

void FleetGraph::set_storage(Vertex core, double bytes_per_s) {
  MUSTER_CHECK(core < vertices() && inside_->graph[core].part == Part::core);
  inside_->storage[core] = bytes_per_s;
}

std::optional<double> FleetGraph::storage(Vertex core) const {
  const auto said = inside_->storage.find(core);
  return said == inside_->storage.end() ? std::nullopt : std::optional{said->second};
}

void FleetGraph::reserve(std::uint32_t nodes) {
  // Boost has no call for it, but documents the member for vecS. An eighth on top for switches.
  inside_->graph.m_vertices.reserve(nodes + nodes / 8 + 4);
}

std::uint32_t FleetGraph::nodes() const { return inside_->nodes; }

std::uint32_t FleetGraph::vertices() const {
  return static_cast<std::uint32_t>(boost::num_vertices(inside_->graph));
}

std::uint32_t FleetGraph::links() const {
  return static_cast<std::uint32_t>(boost::num_edges(inside_->graph));
}

const std::string& FleetGraph::name(Vertex v) const { return inside_->graph[v].name; }

void FleetGraph::for_each_link(
    const std::function<void(Vertex, Vertex, const Link&)>& visit) const {
  const BoostGraph& graph = inside_->graph;
  for (auto [edge, end] = boost::edges(graph); edge != end; ++edge)
    visit(static_cast<Vertex>(boost::source(*edge, graph)),
          static_cast<Vertex>(boost::target(*edge, graph)), graph[*edge]);
}

void FleetGraph::validate(std::string_view where) const { checked_forest(*inside_, where); }

std::string_view name(FleetGraph::Part part) {
  switch (part) {
    case FleetGraph::Part::node:
      return "node";
    case FleetGraph::Part::nvlink:
      return "NVLink domain";
    case FleetGraph::Part::leaf:
      return "leaf";
    case FleetGraph::Part::pod:
      return "pod";
    case FleetGraph::Part::core:
      return "fabric";
  }
  return "";
}

}  // namespace muster
