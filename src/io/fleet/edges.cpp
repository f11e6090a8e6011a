// A fleet as a list of cables: {"nodes": [...], "edges": [{"a": "n0", "b": "leaf0", "gbytes_per_s": 50}]}.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "io/fleet/formats.hpp"
#include "io/fleet/json_object.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/builder.hpp"

namespace muster::fleet_formats {
namespace {

constexpr std::uint32_t kNode = 0, kUnseen = UINT32_MAX,
                        kTop = 3;  // levels of leaf, pod, core: 1, 2, 3

struct Edge {
  std::uint32_t a = 0, b = 0;
  double bytes_per_s = 0;  // of one cable, 0: not said
  std::uint32_t cables = 1;
  Duration latency = kUnknown;
  bool nvlink = false;
  std::string at;
};

struct Vertex {
  std::string name;
  std::uint32_t level = kUnseen;
  std::vector<std::uint32_t> edges;
};

/// Cables and switches, brought into the form of a fleet: switches side by side that share what is below
/// them (the leaf switches of the rails of a group, the spines of a pod, the cores of a fabric) are one.
class Cables {
 public:
  explicit Cables(std::string where) : where_(std::move(where)) {}

  void node(const JsonObject& object, NamedNode node) {
    if (number_.contains(node.id))
      throw InputError(object.at(), "there are two of node \"" + node.id + "\"",
                       "names are unique");
    number_[node.id] = static_cast<std::uint32_t>(vertices_.size());
    vertices_.push_back({node.id, kNode, {}});
    nodes_.push_back(std::move(node));
    node_at_.push_back(object.at());
  }

  void edge(JsonObject& object) {
    Edge edge;
    edge.at = object.at();
    const std::string a = object.required_text("a"), b = object.required_text("b");
    if (a == b) throw InputError(edge.at, "\"" + a + "\" is linked to itself");
    edge.a = vertex(a);
    edge.b = vertex(b);
    edge.bytes_per_s = object.number("gbytes_per_s", 1e-9, 1e6, 0) * 1e9;
    if (const double latency = object.number("latency_us", 0, 1e6, -1); latency >= 0)
      edge.latency = Duration{std::llround(latency * 1e3)};
    edge.cables = static_cast<std::uint32_t>(object.integer("cables", 1, 4096, 1));
    if (object.has("nvlink")) edge.nvlink = object.flag("nvlink");
    object.done();
    if (vertices_[edge.a].level == kNode && vertices_[edge.b].level == kNode)
      throw InputError(edge.at, "two nodes are linked: \"" + a + "\" and \"" + b + "\"",
                       "links go from nodes to switches, and between switches");
    const auto number = static_cast<std::uint32_t>(edges_.size());
    vertices_[edge.a].edges.push_back(number);
    vertices_[edge.b].edges.push_back(number);
    edges_.push_back(std::move(edge));
  }

  FleetGraph graph() {
    level_switches();
    group_.resize(vertices_.size());
    std::iota(group_.begin(), group_.end(), 0u);
    for (std::uint32_t level = 1; level <= kTop; ++level) merge(level);
    GraphBuilder builder;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      wire(n);
      builder.add(nodes_[n], node_at_[n]);
    }
    return builder.take();
  }

 private:
  std::uint32_t vertex(const std::string& name) {
    const auto [known, is_new] =
        number_.try_emplace(name, static_cast<std::uint32_t>(vertices_.size()));
    if (is_new) vertices_.push_back({name, kUnseen, {}});
    return known->second;
  }
  std::uint32_t other(const Edge& edge, std::uint32_t v) const {
    return edge.a == v ? edge.b : edge.a;
  }

  /// A switch's level is one above the lowest of what it is linked to.
  void level_switches() {
    std::vector<std::uint32_t> here(nodes_.size());
    for (std::uint32_t v = 0, n = 0; v < vertices_.size(); ++v)
      if (vertices_[v].level == kNode) here[n++] = v;
    node_vertex_ = here;
    for (std::uint32_t level = 1; !here.empty(); ++level) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t v : here)
        for (const std::uint32_t e : vertices_[v].edges) {
          const std::uint32_t up = other(edges_[e], v);
          if (edges_[e].nvlink || vertices_[up].level != kUnseen) continue;
          vertices_[up].level = level;
          next.push_back(up);
        }
      if (level > kTop && !next.empty())
        throw InputError(where_, "switch \"" + vertices_[next[0]].name + "\" is a fourth level",
                         "a fleet has leaves, pods and cores: leave out what is above them");
      here = std::move(next);
    }
    for (const Edge& edge : edges_) check_levels(edge);
  }

  void check_levels(const Edge& edge) const {
    const Vertex& a = vertices_[edge.a];
    const Vertex& b = vertices_[edge.b];
    if (edge.nvlink) {
      if (a.level != kNode && b.level != kNode)
        throw InputError(edge.at, "an NVLink between two switches",
                         "\"nvlink\" links a node to the switches of its NVLink domain");
      return;
    }
    for (const Vertex* v : {&a, &b})
      if (v->level == kUnseen)
        throw InputError(edge.at, "switch \"" + v->name + "\" leads to no node");
    if (a.level == b.level)
      throw InputError(
          edge.at,
          "two switches of one level are linked: \"" + a.name + "\" and \"" + b.name + "\"",
          "links go node - leaf - pod - core; give a mesh of switches as pods under one "
          "core that carries as much");
  }

  std::uint32_t root(std::uint32_t v) {
    while (group_[v] != v) v = group_[v] = group_[group_[v]];
    return v;
  }

  /// Switches of `level` that share a node or a group of the level below are one group, called after
  /// the first of them.
  void merge(std::uint32_t level) {
    std::map<std::uint32_t, std::uint32_t> above;  // of a group below: a switch of this level
    for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
      if (vertices_[v].level != level) continue;
      for (const std::uint32_t e : vertices_[v].edges) {
        const std::uint32_t below = other(edges_[e], v);
        if (edges_[e].nvlink || vertices_[below].level != level - 1) continue;
        const auto [known, is_new] = above.try_emplace(root(below), v);
        const std::uint32_t x = root(v), y = root(known->second);
        group_[std::max(x, y)] = std::min(x, y);
      }
    }
  }

  /// All cables from one group up.
  Link uplink(std::uint32_t group, std::uint32_t level) {
    Link link;
    double sum = 0;
    bool said = true;
    for (const Edge& edge : edges_) {
      const std::uint32_t low = vertices_[edge.a].level < vertices_[edge.b].level ? edge.a : edge.b;
      if (edge.nvlink || vertices_[low].level != level || root(low) != group) continue;
      sum += edge.bytes_per_s * edge.cables;
      said = said && edge.bytes_per_s > 0;
      link.latency = edge.latency;
    }
    if (said && sum > 0) link.bytes_per_s = sum;
    return link;
  }

  const Link& known_uplink(std::uint32_t group, std::uint32_t level) {
    const auto [known, is_new] = uplinks_.try_emplace(group);
    if (is_new) known->second = uplink(group, level);
    return known->second;
  }

  void wire(std::uint32_t n) {
    NamedNode& node = nodes_[n];
    const std::uint32_t v = node_vertex_[n];
    std::uint32_t leaf = kUnseen, cables = 0;
    std::set<std::uint32_t> switches;
    double rate = 0;
    for (const std::uint32_t e : vertices_[v].edges) {
      const Edge& edge = edges_[e];
      const std::uint32_t up = other(edge, v);
      if (edge.nvlink) {
        node.nvlink = vertices_[up].name;
        if (edge.bytes_per_s > 0) node.links.nvlink.bytes_per_s = edge.bytes_per_s * edge.cables;
        continue;
      }
      if (cables > 0 && edge.bytes_per_s != rate)
        throw InputError(edge.at, "the links of node \"" + node.id + "\" carry different rates",
                         "its NICs are alike: leave out the slow one, which is for management");
      leaf = root(up);
      cables += edge.cables;
      rate = edge.bytes_per_s;
      switches.insert(up);
      node.links.node.latency = edge.latency;
    }
    if (leaf == kUnseen)
      throw InputError(node_at_[n], "node \"" + node.id + "\" is linked to nothing",
                       "each node has a link to a switch");
    node.wiring.nics = cables;
    node.wiring.rails = switches.size() > 1;
    if (rate > 0) node.wiring.nic_bytes_per_s = rate;
    node.leaf = vertices_[leaf].name;
    node.links.leaf = known_uplink(leaf, 1);
    const std::uint32_t pod = above(leaf, 1);
    if (pod == kUnseen) return;
    node.pod = vertices_[pod].name;
    node.links.pod = known_uplink(pod, 2);
    if (const std::uint32_t core = above(pod, 2); core != kUnseen)
      node.fabric = vertices_[core].name;
  }

  /// The group that a group of `level` is under; kUnseen if it is under none.
  std::uint32_t above(std::uint32_t group, std::uint32_t level) {
    const auto [known, is_new] = above_.try_emplace(group, kUnseen);
    if (!is_new) return known->second;
    for (const Edge& edge : edges_) {
      if (edge.nvlink) continue;
      const auto is_below = [&](std::uint32_t v) {
        return vertices_[v].level == level && root(v) == group;
      };
      const auto is_above = [&](std::uint32_t v) { return vertices_[v].level == level + 1; };
      if (is_below(edge.a) && is_above(edge.b)) known->second = root(edge.b);
      if (is_below(edge.b) && is_above(edge.a)) known->second = root(edge.a);
    }
    return known->second;
  }

  std::string where_;
  std::map<std::string, std::uint32_t> number_;
  std::vector<Vertex> vertices_;
  std::vector<Edge> edges_;
  std::vector<NamedNode> nodes_;
  std::vector<std::string> node_at_;
  std::vector<std::uint32_t> node_vertex_;
  std::vector<std::uint32_t> group_;              // union-find
  std::map<std::uint32_t, Link> uplinks_;         // by group
  std::map<std::uint32_t, std::uint32_t> above_;  // by group
};

}  // namespace

FleetDescription read_edges(const Json& parsed, std::string_view where) {
  JsonObject object(parsed, std::string{where}, "");
  FleetDescription fleet;
  fleet.name = object.text("name");
  fleet.source = object.text("source");
  object.find("$schema");
  const Json& nodes = object.array("nodes");
  const Json& edges = object.array("edges");
  object.done();
  Cables cables{std::string{where}};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    JsonObject one(nodes[i], object.where(), "/nodes/" + std::to_string(i));
    NamedNode node;
    node.id = one.required_text("id");
    node.gpus = one.integer("gpus", 1, kMostGpusPerNode, 0);
    if (node.gpus == 0) throw InputError(one.at(), "\"gpus\" is missing");
    node.gpu_type = one.text("gpu_type");
    check_gpu_type(node.gpu_type, one.at("gpu_type"));
    one.done();
    cables.node(one, std::move(node));
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    JsonObject one(edges[i], object.where(), "/edges/" + std::to_string(i));
    cables.edge(one);
  }
  fleet.graph = cables.graph();
  return fleet;
}

}  // namespace muster::fleet_formats
