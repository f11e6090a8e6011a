#pragma once
#include "muster/policy/params.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

// What policies can be told about how long jobs are planned to run, in the same words wherever it is
// asked for.

/// When jobs are stopped: default_estimate, kill_at_limit.
void walk_limits(ParamVisitor& visit, Planning& planning);
/// How long they are planned to run, too: estimates, predictor.
void walk_planning(ParamVisitor& visit, Planning& planning);

/// Throws InputError for what can't be meant.
void check(const Planning& planning);

}  // namespace muster
