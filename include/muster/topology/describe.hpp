#pragma once
#include <string>

#include "muster/topology/fleet.hpp"

namespace muster {

/// The fleet as a table for people: its pools, the domains of each level with their sizes, what was
/// left out while reading it, and where its numbers are from. Ends in a newline.
std::string describe(const Fleet& fleet);

}  // namespace muster
