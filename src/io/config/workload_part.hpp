#pragma once
#include "io/config/document.hpp"
#include "muster/io/trace.hpp"

namespace muster {

/// The workload of an experiment with its paths relative to the working directory, and what is
/// generated inline: as a summary keeps it.
Json workload_text(Document experiment);

/// Reads or generates it.
Trace load_workload(Document experiment);

/// "first.csv", "philly_like"
std::string workload_name(Document experiment);

}  // namespace muster
