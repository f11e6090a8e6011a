#include <cmath>
#include <string>
#include <unordered_set>

#include "muster/core/error.hpp"
#include "topology/boost_graph.hpp"

namespace muster {
namespace {

using Part = FleetGraph::Part;
using Vertex = FleetGraph::Vertex;

/// One walk over the graph; each check throws at the first thing it finds.
class Validator {
 public:
  Validator(const FleetGraph::Inside& inside, std::string_view where)
      : inside_(inside), graph_(inside.graph), where_(where) {}

  Forest run() {
    check_totals();
    check_nodes();
    check_names();
    const auto n = boost::num_vertices(graph_);
    forest_.parent.assign(n, Forest::kNone);
    forest_.nvlink.assign(n, Forest::kNone);
    has_below_.assign(n, 0);
    for (auto [edge, end] = boost::edges(graph_); edge != end; ++edge) check_link(*edge);
    check_domains();
    check_nvlink_leaves();
    if (!inside_.storage.empty()) check_storage();
    return std::move(forest_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::string_view advice = {}) const {
    throw InputError(where_, what, advice);
  }

  /// `leaf "A"`, or `leaf 3` (the fourth of its kind) if it has no name.
  std::string call(Vertex v) const {
    const VertexData& data = graph_[v];
    const std::string kind{name(data.part)};
    if (!data.name.empty()) return kind + " \"" + data.name + "\"";
    std::size_t number = 0;
    for (Vertex u = 0; u < v; ++u) number += graph_[u].part == data.part ? 1 : 0;
    return kind + " " + std::to_string(number);
  }

  void check_totals() const {
    if (inside_.nodes == 0) fail("the fleet has no nodes", "a fleet is at least one node of 1 GPU");
    if (inside_.nodes > kMostNodes)
      fail("the fleet has " + std::to_string(inside_.nodes) + " nodes; expected at most " +
           std::to_string(kMostNodes));
    if (inside_.gpu_types.size() > kMostGpuTypes)
      fail("the fleet has " + std::to_string(inside_.gpu_types.size()) +
               " GPU types; expected at most " + std::to_string(kMostGpuTypes),
           "GPUs that jobs may use alike can share a type");
  }

  void check_nodes() const {
    for (Vertex v = 0; v < boost::num_vertices(graph_); ++v) {
      const VertexData& data = graph_[v];
      if (data.part == Part::node && (data.gpus < 1 || data.gpus > kMostGpusPerNode))
        fail(call(v) + " has " + std::to_string(data.gpus) + " GPUs; expected 1 to " +
             std::to_string(kMostGpusPerNode));
    }
  }

  void check_names() const {
    std::array<std::unordered_set<std::string_view>, 5> seen;
    for (Vertex v = 0; v < boost::num_vertices(graph_); ++v) {
      const VertexData& data = graph_[v];
      if (data.name.empty()) continue;
      if (!seen[static_cast<std::size_t>(data.part)].insert(data.name).second)
        fail("there are two of " + call(v), "names are unique among those of a kind");
    }
  }

  void check_link(const BoostEdge& edge) {
    auto lower = static_cast<Vertex>(boost::source(edge, graph_));
    auto upper = static_cast<Vertex>(boost::target(edge, graph_));
    if (lower == upper) fail(call(lower) + " is linked to itself");
    if (graph_[lower].part > graph_[upper].part) std::swap(lower, upper);
    check_rate(graph_[edge], lower, upper);

    const Part below = graph_[lower].part, above = graph_[upper].part;
    const bool is_nvlink = below == Part::node && above == Part::nvlink;
    const bool is_up = (below == Part::node && above == Part::leaf) ||
                       (below == Part::leaf && above == Part::pod) ||
                       (below == Part::pod && above == Part::core);
    if (!is_nvlink && !is_up)
      fail(call(lower) + " is linked to " + call(upper),
           "links go node - leaf - pod - fabric, and node - NVLink domain");
    Vertex& known = is_nvlink ? forest_.nvlink[lower] : forest_.parent[lower];
    if (known == upper) fail(call(lower) + " is linked to " + call(upper) + " twice");
    if (known != Forest::kNone)
      fail(call(lower) + " is under two: " + call(known) + " and " + call(upper));
    known = upper;
    has_below_[upper] = 1;
  }

  static bool is_rate(double rate) { return rate > 0 && std::isfinite(rate); }

  [[noreturn]] void fail_rate(const std::string& what, double rate) const {
    fail(what +
             (std::isfinite(rate) ? std::to_string(static_cast<std::int64_t>(std::floor(rate)))
                                  : std::string{std::isnan(rate) ? "NaN" : "infinite"}) +
             " bytes/s; expected more than 0",
         "leave the rate out if it is not known");
  }

  void check_storage() const {
    for (Vertex v = 0; v < boost::num_vertices(graph_); ++v) {
      const auto said = inside_.storage.find(v);
      if (said != inside_.storage.end() && !is_rate(said->second))
        fail_rate("the storage of " + call(v) + " gives ", said->second);
    }
  }

  void check_rate(const Link& link, Vertex a, Vertex b) const {
    const auto between = [&] { return "the link of " + call(a) + " to " + call(b); };
    if (link.bytes_per_s && !is_rate(*link.bytes_per_s))
      fail_rate(between() + " carries ", *link.bytes_per_s);
    if (link.latency < Duration{0} && link.latency != kUnknown)
      fail(between() + " has a latency of " + std::to_string(link.latency.count()) +
           " ns; expected 0 or more");
  }

  void check_domains() const {
    for (Vertex v = 0; v < boost::num_vertices(graph_); ++v) {
      const Part part = graph_[v].part;
      if (part != Part::node && !has_below_[v])
        fail(call(v) + " is empty: nothing is linked below it");
      if (part == Part::nvlink || part == Part::core || forest_.parent[v] != Forest::kNone)
        continue;
      const std::string above{part == Part::node ? "leaf" : part == Part::leaf ? "pod" : "fabric"};
      fail(call(v) + " is linked to no " + above + ", so it is connected to nothing",
           "a level that the fleet does not have is one " + above + " for all");
    }
  }

  void check_nvlink_leaves() const {
    std::vector<Vertex> first(forest_.parent.size(), Forest::kNone);  // a node of each domain
    for (Vertex v = 0; v < forest_.nvlink.size(); ++v) {
      const Vertex domain = forest_.nvlink[v];
      if (domain == Forest::kNone) continue;
      if (first[domain] == Forest::kNone) first[domain] = v;
      const Vertex leaf = forest_.parent[v], other = forest_.parent[first[domain]];
      if (leaf != other)
        fail(call(domain) + " is under two: " + call(other) + " (" + call(first[domain]) +
                 ") and " + call(leaf) + " (" + call(v) + ")",
             "an NVLink domain is under one leaf");
    }
  }

  const FleetGraph::Inside& inside_;
  const BoostGraph& graph_;
  std::string_view where_;
  Forest forest_;
  std::vector<char> has_below_;
};

}  // namespace

Forest checked_forest(const FleetGraph::Inside& inside, std::string_view where) {
  return Validator(inside, where).run();
}

}  // namespace muster
