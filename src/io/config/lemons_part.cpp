#include <algorithm>
#include <cmath>

#include "io/config/node_list.hpp"
#include "io/config/params_schema.hpp"
#include "io/config/processes_part.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"
#include "muster/core/random.hpp"

namespace muster {
namespace {

struct LemonParams {
  double share = 0, factor = 10;
  void walk(ParamVisitor& visit) {
    visit.visit("share", share, 0, 1, "how many of the nodes, which are drawn");
    visit.visit("factor", factor, 1, 1e6, "how many times as often they fail as others");
  }
};

/// The nodes with the least numbers, so that a greater share only adds to them.
std::vector<NodeId> draw_lemons(const Fleet& fleet, double share, std::uint64_t seed) {
  const Stream stream(seed, "lemon nodes");
  std::vector<NodeId> nodes;
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n) nodes.push_back(NodeId{n});
  std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    return std::pair{stream.at(a.value), a} < std::pair{stream.at(b.value), b};
  });
  nodes.resize(
      static_cast<std::size_t>(std::floor(share * static_cast<double>(nodes.size()) + 0.5)));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

void read_lemons(const Document& experiment, const Json& given, const Fleet& fleet,
                 OutagePlan::Failures& failures) {
  if (given.is_null()) return;
  const auto place = [&](std::string_view name) {
    return experiment.where("/failures/lemons" + (name.empty() ? "" : "/" + std::string{name}));
  };
  if (!given.is_object()) experiment.expected("/failures/lemons", "an object");
  if (failures.processes.empty())
    throw InputError(place(""), "need failures that are drawn",
                     "a \"law\" and a \"rate\", or \"processes\"");
  Json object = given;
  const Json nodes = object.value("nodes", Json());
  object.erase("nodes");
  LemonParams p;
  read_params_object(object, [&](ParamVisitor& visit) { p.walk(visit); }, {"lemons", place});
  if ((p.share > 0) == !nodes.is_null())
    throw InputError(place(""), "expected either share or nodes",
                     R"(for example {"share": 0.02, "factor": 10})");
  failures.lemons = nodes.is_null() ? draw_lemons(fleet, p.share, failures.seed)
                                    : node_list(fleet, nodes, place("nodes"));
  if (nodes.is_array() && failures.lemons.size() < nodes.size())
    throw InputError(place("nodes"), "names a node twice", "each once; \"factor\" is for all");
  failures.lemon_factor = p.factor;
}

Json lemons_schema() {
  Json schema = params_schema_object([](ParamVisitor& visit) { LemonParams{}.walk(visit); });
  schema["properties"]["nodes"] = {{"description", "which nodes, in place of a share"},
                                   {"type", "array"},
                                   {"items", {{"type", "string"}}}};
  return schema;
}

}  // namespace muster
