#include <algorithm>
#include <cstdio>

#include "muster/topology/describe.hpp"
#include "muster/topology/fabric.hpp"

namespace muster {
namespace {

const std::vector<NodeRange>& domains(const Fleet& fleet, Level level) {
  return fleet.domains[static_cast<std::size_t>(level)];
}

/// "2 of 8 pods carry 7 times less than their nodes send".
void oversubscribed(const Fleet& fleet, Level level, std::vector<std::string>& out) {
  const auto all = static_cast<std::uint32_t>(domains(fleet, level).size());
  std::uint32_t count = 0;
  double most = 1;
  for (std::uint32_t d = 0; d < all; ++d) {
    const double ratio = oversubscription(fleet, level, d);
    count += ratio > 1.005 ? 1 : 0;
    most = std::max(most, ratio);
  }
  if (count == 0) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "the uplinks of %u of %u %s carry up to %.3g times less than the "
                "nodes below can send",
                count, all, level == Level::leaf ? "leaves" : "pods", most);
  out.emplace_back(text);
}

void unknown_wiring(const Fleet& fleet, std::vector<std::string>& out) {
  std::uint32_t nodes = 0;
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
    nodes += fleet.wiring(NodeId{n}).source.starts_with("assumed") ? 1 : 0;
  if (nodes > 0)
    out.push_back("the wiring of " + std::to_string(nodes) +
                  " nodes is assumed: their type of GPU is not known, and \"wiring\" does not say");
}

void uneven_rails(const Fleet& fleet, std::vector<std::string>& out) {
  std::uint32_t leaves = 0;
  for (const NodeRange& range : domains(fleet, Level::leaf)) {
    const auto rails = [&](std::uint32_t n) {
      const Wiring& wiring = fleet.wiring(NodeId{n});
      return wiring.rails ? wiring.nics : 1;
    };
    for (std::uint32_t n = range.first + 1; n < range.last; ++n)
      if (rails(n) != rails(range.first)) {
        ++leaves;
        break;
      }
  }
  if (leaves > 0)
    out.push_back(std::to_string(leaves) + (leaves == 1 ? " leaf has" : " leaves have") +
                  " nodes with different numbers of rails: some have nobody to talk to on a rail");
}

}  // namespace

std::vector<std::string> remarks(const Fleet& fleet) {
  std::vector<std::string> out = fleet.notes;
  if (const std::size_t fabrics = domains(fleet, Level::fabric).size(); fabrics > 1)
    out.push_back(std::to_string(fabrics) +
                  " fabrics that are not connected: no gang can span them");
  oversubscribed(fleet, Level::leaf, out);
  oversubscribed(fleet, Level::pod, out);
  unknown_wiring(fleet, out);
  uneven_rails(fleet, out);
  return out;
}

}  // namespace muster
