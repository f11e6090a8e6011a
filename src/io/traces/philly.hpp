#pragma once
#include <string_view>

namespace muster {

class TraceInput;

/// Philly's logs are in the wall time of the US west coast (its clock change shows in them).
inline constexpr std::string_view kPhillyZone = "America/Los_Angeles";

/// The cluster_job_log of the Philly release: a JSON array of jobs with their attempts.
void read_philly_log(TraceInput& in);

}  // namespace muster
