#pragma once
#include <string>
#include <vector>

#include "muster/metrics/summary.hpp"
#include "muster/policy/parts/quota.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// What is odd about quotas on this trace and fleet, though it can be meant: queues that no job is in
/// (`unknown_queue`), and more guaranteed than there is (`guarantees_above_fleet`).
std::vector<std::string> quota_warnings(const QuotaOptions& quota, const Workload& workload,
                                        const Fleet& fleet);

/// Puts these warnings before the others of the summary, and each queue's quota beside its numbers.
void note_quotas(const QuotaOptions& quota, const Workload& workload, const Fleet& fleet,
                 Summary& summary);

}  // namespace muster
