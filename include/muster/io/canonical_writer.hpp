#pragma once
#include <iosfwd>

#include "muster/workload/workload.hpp"

namespace muster {

/// Writes any workload as canonical CSV: the columns in use, one job per row in trace order. Reading
/// it back gives the same workload.
void write_canonical(const Workload& workload, std::ostream& out);

}  // namespace muster
