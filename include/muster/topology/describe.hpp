#pragma once
#include <string>
#include <vector>

#include "muster/topology/fleet.hpp"

namespace muster {

/// The fleet as a table for people: its pools, what is in a node, the domains of each level with their sizes, what was
/// left out while reading it, and where its numbers are from. Ends in a newline.
std::string describe(const Fleet& fleet);

/// What stands out in a fleet that is right, a sentence each: fabrics that are not connected, uplinks that carry
/// less than their nodes send, nodes whose wiring is not known, leaves whose nodes have different rails.
std::vector<std::string> remarks(const Fleet& fleet);

/// The fleet as a graph for graphviz: switches by level and what their links carry, and what is in a node of
/// each kind, with its GPUs and NICs. Of many that are alike a few are drawn, and the others counted.
std::string dot(const Fleet& fleet);

}  // namespace muster
