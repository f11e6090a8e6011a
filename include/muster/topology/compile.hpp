#pragma once
#include <string>
#include <string_view>

#include "muster/topology/fleet.hpp"
#include "muster/topology/graph.hpp"

namespace muster {

/// Validates the graph and flattens it: nodes in depth-first order (siblings in the order in which
/// they were linked), so that every domain is one range. Linear in the size of the graph.
Fleet compile(const FleetGraph& graph, std::string name, std::string_view where);

}  // namespace muster
