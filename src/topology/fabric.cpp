#include "muster/topology/fabric.hpp"

#include <algorithm>

#include "muster/core/check.hpp"

namespace muster {

double bytes_per_s_below(const Fleet& fleet, Level level, std::uint32_t domain) {
  const NodeRange range = level == Level::node
                              ? NodeRange{domain, domain + 1}
                              : fleet.domains[static_cast<std::size_t>(level)][domain];
  double sum = 0;
  for (std::uint32_t n = range.first; n < range.last; ++n)
    sum += fleet.wiring(NodeId{n}).network_bytes_per_s();
  return sum;
}

double oversubscription(const Fleet& fleet, Level level, std::uint32_t domain) {
  MUSTER_CHECK(level == Level::leaf || level == Level::pod);
  const auto& up = fleet.fabric->up[static_cast<std::size_t>(level)];
  if (up.empty() || up[domain].bytes_per_s <= 0) return 1;
  return std::max(1.0, bytes_per_s_below(fleet, level, domain) / up[domain].bytes_per_s);
}

}  // namespace muster
