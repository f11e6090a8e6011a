#pragma once
#include "io/config/document.hpp"
#include "muster/engine/outages.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// The part /failures/storage of an experiment: how long it takes to write and to read a checkpoint of so
/// many bytes. Where jobs stop meanwhile that becomes what a checkpoint costs them (InputError if their
/// trace or `cost_is_said` says that already); else it is `plan.write_time`. Reading is part of a restart.
void read_storage(const Document& experiment, const Json& object, const Fleet& fleet,
                  bool cost_is_said, Workload& jobs, OutagePlan& plan);

Json storage_schema();

}  // namespace muster
