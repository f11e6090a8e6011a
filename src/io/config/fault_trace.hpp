#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "muster/engine/outages.hpp"

namespace muster {

/// Faults of InfiniteHBD's trace (SIGCOMM 2025): a JSON array of events {node_id, event_time in days,
/// event_type fault_start | fault_end, fault_type}. Starts and ends are paired by node and type, in order
/// of time; a start without an end lasts for ever, an end without a start began before time zero. Faults of no
/// length are left out. Nodes are the fleet's of that name, or else its first ones in order of appearance.
std::vector<OutagePlan::Outage> read_fault_trace(const std::filesystem::path& file,
                                                 const Fleet& fleet, const std::string& where);

}  // namespace muster
