#pragma once
#include <cstdint>
#include <vector>

#include "muster/workload/synthetic.hpp"

namespace muster::synthetic {

/// When each job comes, in batch order: batch b has `batches[b]` jobs, and the times of a batch don't
/// decrease. Between 0 and `span`, but for the tail of a batch that starts just before the end.
///
/// Given their number, the batches of a Poisson process of rate r(t) are independent draws from the
/// density r(t)/R, R = the integral of r: unit exponentials, scaled to end at R, are sent through
/// the inverse of the integral. So the trace has exactly the jobs and the span that were asked for.
std::vector<Duration> arrival_times(const SyntheticSpec::Arrivals& arrivals, Duration span,
                                    Duration resolution, const std::vector<std::uint32_t>& batches,
                                    std::uint64_t seed);

}  // namespace muster::synthetic
