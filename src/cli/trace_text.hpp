#pragma once
#include <string>

#include "muster/workload/builder.hpp"

namespace muster::cli {

/// "jobs.csv (helios): 1200 rows: 1190 replayed, 8 skipped (8 cpu_only), 2 rejected (2 bad_value)"
std::string rows_line(const TraceReport& report);

/// One line per kind of note: its count, code, meaning and the first lines.
std::string notes_text(const TraceReport& report);

/// The exact number of GPUs.
std::string gpus_text(std::int64_t milli);

}  // namespace muster::cli
