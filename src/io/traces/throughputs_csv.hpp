#pragma once
#include <ostream>

#include "muster/workload/workload.hpp"

namespace muster {

class TraceInput;

/// The table of throughputs that stands beside a canonical CSV: model,gpus,gpu_type,steps_per_s. Read from
/// the file that the option `throughputs` names; durations hold on the type that `reference` names, or else
/// on that of the first row.
void read_throughputs(TraceInput& in);
void write_throughputs(const Workload& w, std::ostream& out);

}  // namespace muster
