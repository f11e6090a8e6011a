#pragma once
#include <string>

#include "muster/metrics/series.hpp"
#include "muster/metrics/summary.hpp"

namespace muster {

/// The text of report.html: a run for people to look at. One file that asks the network for nothing.
std::string report_html(const Summary& summary, const Series& series);

}  // namespace muster
