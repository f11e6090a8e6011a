#pragma once
#include "io/config/document.hpp"
#include "muster/engine/outages.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// The part /failures of an experiment: events given, replayed or drawn, how jobs write checkpoints whose
/// trace does not say, and what becomes of jobs.
void read_failures(const Document& experiment, const Fleet& fleet, std::uint64_t seed,
                   Workload& jobs, OutagePlan& plan);

Json failures_schema();

}  // namespace muster
