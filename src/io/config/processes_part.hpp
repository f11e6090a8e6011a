#pragma once
#include <vector>

#include "io/config/document.hpp"
#include "muster/engine/outages.hpp"
#include "muster/topology/fleet.hpp"

namespace muster {

/// /failures/lemons of an experiment, null if it is not there: which nodes fail how many times as often.
/// A share of them is drawn by the failures' seed.
void read_lemons(const Document& experiment, const Json& object, const Fleet& fleet,
                 OutagePlan::Failures& failures);
Json lemons_schema();

/// /failures/readiness of an experiment, null if it is not there.
OutagePlan::Readiness read_readiness(const Document& experiment, const Json& object);
Json readiness_schema();

/// The list /failures/processes of an experiment.
std::vector<FailureProcess> read_processes(const Document& experiment, const Json& list);

/// One of them with only what repairs are like if nothing is said.
FailureProcess usual_process();

/// With a mean that is given, a wider lognormal law puts nearly all failures at the very beginning:
/// InputError at `where`.
void refuse_wide(const FailureProcess& process, const std::string& where);

Json process_schema();

}  // namespace muster
