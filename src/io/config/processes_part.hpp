#pragma once
#include <vector>

#include "io/config/document.hpp"
#include "muster/engine/failure_process.hpp"

namespace muster {

/// The list /failures/processes of an experiment.
std::vector<FailureProcess> read_processes(const Document& experiment, const Json& list);

/// One of them with only what repairs are like if nothing is said.
FailureProcess usual_process();

/// With a mean that is given, a wider lognormal law puts nearly all failures at the very beginning:
/// InputError at `where`.
void refuse_wide(const FailureProcess& process, const std::string& where);

Json process_schema();

}  // namespace muster
