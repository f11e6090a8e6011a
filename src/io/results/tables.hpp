#pragma once
#include "io/results/result_file.hpp"
#include "muster/metrics/series.hpp"
#include "muster/metrics/summary.hpp"

namespace muster {

/// series.csv: a row per bucket of time; each number is the mean over the row.
void write_series(ResultFile& file, const Series& series);

/// ledger.csv: both books, a row per class and per cause, with a total each.
void write_ledger(ResultFile& file, const Summary& summary);

}  // namespace muster
