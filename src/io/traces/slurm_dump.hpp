#pragma once
#include <string_view>

namespace muster {

class TraceInput;

/// Whether a line is the header of Slurm's job table, dumped as CSV.
bool is_slurm_dump(std::string_view header);

void read_slurm_dump(TraceInput& in);

}  // namespace muster
