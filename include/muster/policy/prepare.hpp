#pragma once
#include "muster/policy/policy.hpp"

namespace muster {

/// Makes of the workload what `policy` is to be run on: shapes are told apart by queue for those that need
/// it, and where requests are rounded up every job is rigid, since what is added does no work.
void prepare(Workload& w, const Policy& policy);

}  // namespace muster
