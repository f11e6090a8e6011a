#pragma once
#include <string>

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
/// The same where `who`, such as "rank=las", goes by no estimate: default_estimate may only say when jobs are
/// stopped.
void refuse_idle_estimate(const Planning& planning, const std::string& who);

}  // namespace muster
