#pragma once
#include <string>
#include <vector>

#include "io/config/json_text.hpp"
#include "muster/topology/fleet.hpp"

namespace muster {

/// The node of that name; InputError, which `where` begins, if the fleet has none.
NodeId node_called(const Fleet& fleet, const std::string& name, const std::string& where);

/// "all", or a list of nodes' names: ascending, each once.
std::vector<NodeId> node_list(const Fleet& fleet, const Json& value, const std::string& where);

}  // namespace muster
