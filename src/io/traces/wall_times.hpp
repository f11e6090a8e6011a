#pragma once
#include <string_view>

#include "muster/io/text/cell.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {

/// Submit, start and end of a job as logs of clusters have them. False if it never started (then it
/// was skipped); otherwise the row has its recorded times, and its duration is end - start.
bool take_wall_times(TraceInput& in, JobRow& row, Cell submit, Cell start, Cell end,
                     std::string_view zone);

}  // namespace muster
