#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "muster/core/id.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/topology/wiring.hpp"

namespace muster {

/// The wires of a fleet: what is in each node, and what each domain can carry upwards.
struct Fabric {
  std::vector<Wiring> wirings;
  IdVector<NodeId, std::uint16_t> wiring_of;

  /// All links of one domain towards the level above it, taken together.
  struct Uplink {
    double bytes_per_s = 0;  // per direction; 0: not known, as much as is below it
    Duration latency = kUnknown;
  };
  /// By domain. Used for leaf (to pod) and pod (to the core of its fabric); what goes up from a node
  /// is in its wiring.
  std::array<std::vector<Uplink>, kLevels> up;
  /// Bytes/s that the storage of each fabric gives in all; 0: not known. Empty: of none.
  std::vector<double> storage;
  double storage_of(std::uint32_t fabric) const { return storage.empty() ? 0 : storage[fabric]; }
};

/// What leaves all nodes of a domain together, in bytes/s: the sum of their NICs.
double bytes_per_s_below(const Fleet& fleet, Level level, std::uint32_t domain);
/// How many times more its nodes can send than the domain's uplinks carry: 1 if they carry all of it
/// or the description does not say. For leaf and pod.
double oversubscription(const Fleet& fleet, Level level, std::uint32_t domain);

}  // namespace muster
