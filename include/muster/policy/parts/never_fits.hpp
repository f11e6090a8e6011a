#pragma once
#include <optional>

#include "muster/policy/policy.hpp"

namespace muster {

/// Why `job`, if it asks for `d`, could not run on the empty fleet, if so (CONVENTIONS C8).
std::optional<Rejection> never_fits(const View& view, const Cluster& empty, JobId job,
                                    const Demand& d);

}  // namespace muster
