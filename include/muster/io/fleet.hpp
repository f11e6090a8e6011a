#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "muster/topology/fleet.hpp"
#include "muster/topology/graph.hpp"

namespace muster {

/// A fleet, however the user says it: a file (fleet.json, or a node list in CSV), the name of one
/// that is shipped in configs/fleets, or a shorthand such as 64x8 or 1024x8:h100/32/8+245x2:p100.
/// Throws InputError. docs/fleets.md describes all of them.
Fleet load_fleet(const std::string& spec);

/// A fleet.json, or a node list in CSV, that is already in memory. `source_name` starts messages.
Fleet parse_fleet(std::string_view text, std::string_view source_name);

/// A fleet as it was described: what load_fleet() compiles, for those who route on the graph.
struct FleetDescription {
  FleetGraph graph;
  std::string name;  // see Fleet
  std::string source;
  std::vector<std::string> notes;
  std::string where;  // starts the messages about it
};
FleetDescription load_fleet_description(const std::string& spec);
FleetDescription parse_fleet_description(std::string_view text, std::string_view source_name);

}  // namespace muster
