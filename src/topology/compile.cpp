#include "muster/topology/compile.hpp"

#include <array>
#include <unordered_map>
#include <unordered_set>

#include "muster/core/check.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/fabric.hpp"
#include "topology/boost_graph.hpp"

namespace muster {
namespace {

using Part = FleetGraph::Part;
using Vertex = FleetGraph::Vertex;

class Compiler {
 public:
  Compiler(const FleetGraph::Inside& inside, std::string_view where)
      : inside_(inside), graph_(inside.graph), forest_(checked_forest(inside, where)) {}

  Fleet run(std::string_view where) {
    fleet_.nodes.reserve(inside_.nodes);
    order_.reserve(inside_.nodes);
    fabric_.wirings = inside_.wirings;
    fabric_.wiring_of.reserve(inside_.nodes);
    pool_of_type_.assign(inside_.gpu_types.size(), -1);
    nvlink_done_.assign(boost::num_vertices(graph_), 0);
    for (Vertex v = 0; v < boost::num_vertices(graph_); ++v)
      if (graph_[v].part == Part::core) walk(v);
    name_nodes(where);
    fill_up_names();
    fleet_.fabric = std::make_shared<const Fabric>(std::move(fabric_));
    fleet_.index();
    return std::move(fleet_);
  }

 private:
  /// Depth first, without recursing per node: a leaf emits its nodes itself.
  void walk(Vertex v) {
    const Level level = graph_[v].part == Part::core  ? Level::fabric
                        : graph_[v].part == Part::pod ? Level::pod
                                                      : Level::leaf;
    const auto first = static_cast<std::uint32_t>(order_.size());
    Fabric::Uplink up;
    for (auto [edge, end] = boost::out_edges(v, graph_); edge != end; ++edge) {
      const auto below = static_cast<Vertex>(boost::target(*edge, graph_));
      if (forest_.parent[below] != v) {  // the link upwards
        up = {graph_[*edge].bytes_per_s.value_or(0), graph_[*edge].latency};
        continue;
      }
      if (level == Level::leaf) {
        emit_with_nvlink(below);
      } else {
        walk(below);
      }
    }
    close(level, first, graph_[v].name);
    if (level != Level::fabric)
      fabric_.up[static_cast<std::size_t>(level)].push_back(up);
    else if (!inside_.storage.empty())
      fabric_.storage.push_back(storage(v));
  }

  double storage(Vertex core) const {
    const auto said = inside_.storage.find(core);
    return said == inside_.storage.end() ? 0 : said->second;
  }

  /// The node and, beside it, all others of its NVLink domain.
  void emit_with_nvlink(Vertex node) {
    const Vertex domain = forest_.nvlink[node];
    const auto first = static_cast<std::uint32_t>(order_.size());
    if (domain == Forest::kNone) {
      emit(node);
      close(Level::nvlink, first, "");
    } else if (!nvlink_done_[domain]) {
      nvlink_done_[domain] = 1;
      for (auto [edge, end] = boost::out_edges(domain, graph_); edge != end; ++edge)
        emit(static_cast<Vertex>(boost::target(*edge, graph_)));
      close(Level::nvlink, first, graph_[domain].name);
    }
  }

  void emit(Vertex node) {
    const VertexData& data = graph_[node];
    int& pool = pool_of_type_[data.gpu_type];
    if (pool < 0) {
      pool = static_cast<int>(fleet_.pools.size());
      const FleetGraph::Inside::GpuType& type = inside_.gpu_types[data.gpu_type];
      fleet_.pools.push_back({type.name, 0, 0, 0});
      if (!type.mig.empty())
        fleet_.pools.back().mig = std::make_shared<const MigLayout>(mig_layout(type.mig));
    }
    const std::uint32_t bits =
        data.gpus * fleet_.pools[static_cast<std::size_t>(pool)].bits_per_gpu();
    MUSTER_CHECK(bits <= 64);
    fleet_.nodes.push_back({static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(pool)});
    fabric_.wiring_of.push_back(wiring(data));
    order_.push_back(node);
  }

  /// Wirings keep the numbers that they have in the graph; the usual ones are added as they come.
  std::uint16_t wiring(const VertexData& data) {
    if (data.wiring > 0) return data.wiring;
    const std::uint32_t key = std::uint32_t{data.gpu_type} << 16 | data.gpus;
    const auto [known, is_new] = usual_.try_emplace(key);
    if (is_new) {
      known->second = static_cast<std::uint16_t>(fabric_.wirings.size());
      fabric_.wirings.push_back(default_wiring(inside_.gpu_types[data.gpu_type].name, data.gpus));
    }
    return known->second;
  }

  void close(Level level, std::uint32_t first, const std::string& name) {
    const auto l = static_cast<std::size_t>(level);
    fleet_.domains[l].push_back({first, static_cast<std::uint32_t>(order_.size())});
    // Names are kept from the first one on; most fleets have none, and a million empty ones cost.
    if (name.empty() && fleet_.domain_names[l].empty()) return;
    fleet_.domain_names[l].resize(fleet_.domains[l].size());
    fleet_.domain_names[l].back() = name;
  }

  /// A node without a name is called by its number, also beside others that have names.
  void name_nodes(std::string_view where) {
    std::size_t named = 0;
    for (const Vertex v : order_) named += graph_[v].name.empty() ? 0 : 1;
    if (named == 0) return;
    fleet_.node_names.reserve(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::string& given = graph_[order_[i]].name;
      fleet_.node_names.push_back(given.empty() ? "n" + std::to_string(i) : given);
    }
    if (named == order_.size()) return;  // validate() has found them to be unique
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : fleet_.node_names)
      if (!seen.insert(name).second)
        throw InputError(where, "there are two of node \"" + name + "\"",
                         "nodes without a name are called n0, n1, ...: use other names");
  }

  /// Lists of names that end early: the last domains had none.
  void fill_up_names() {
    for (std::size_t l = 0; l < kLevels; ++l)
      if (!fleet_.domain_names[l].empty()) fleet_.domain_names[l].resize(fleet_.domains[l].size());
  }

  const FleetGraph::Inside& inside_;
  const BoostGraph& graph_;
  Forest forest_;
  Fleet fleet_;
  Fabric fabric_;
  std::unordered_map<std::uint32_t, std::uint16_t> usual_;  // by type and number of GPUs
  std::vector<Vertex> order_;
  std::vector<int> pool_of_type_;
  std::vector<char> nvlink_done_;
};

}  // namespace

Fleet compile(const FleetGraph& graph, std::string name, std::string_view where) {
  Fleet fleet = Compiler(graph.inside(), where).run(where);
  fleet.name = std::move(name);
  return fleet;
}

}  // namespace muster
