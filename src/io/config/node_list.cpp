#include "io/config/node_list.hpp"

#include <algorithm>

#include "muster/core/error.hpp"

namespace muster {

NodeId node_called(const Fleet& fleet, const std::string& name, const std::string& where) {
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
    if (fleet.node_name(NodeId{n}) == name) return NodeId{n};
  const auto last = static_cast<std::uint32_t>(fleet.nodes.size() - 1);
  throw InputError(where, "the fleet has no node \"" + name + "\"",
                   "its " + std::to_string(last + 1) + " nodes are called " +
                       fleet.node_name(NodeId{0}) + " to " + fleet.node_name(NodeId{last}));
}

std::vector<NodeId> node_list(const Fleet& fleet, const Json& value, const std::string& where) {
  std::vector<NodeId> nodes;
  if (value == "all") {
    for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n) nodes.push_back(NodeId{n});
    return nodes;
  }
  const bool names =
      value.is_array() && !value.empty() &&
      std::all_of(value.begin(), value.end(), [](const Json& name) { return name.is_string(); });
  if (!names)
    throw InputError(where, "expected \"all\" or a list of nodes' names, got " + shown(value));
  for (const Json& name : value)
    nodes.push_back(node_called(fleet, name.get<std::string>(), where));
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace muster
