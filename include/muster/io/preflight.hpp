#pragma once
#include <string>
#include <vector>

#include "muster/metrics/load.hpp"
#include "muster/workload/builder.hpp"

namespace muster {

/// What is known before a run: where every row of the trace went, and what the jobs ask for.
struct Preflight {
  TraceReport report;
  std::string fleet;  // its name; "" = there is none, and all below is empty
  Loads loads;
  std::string widest, widest_asks;      // the job that asks for most GPUs, and for what
  std::vector<std::string> impossible;  // the first jobs that could never start
  std::vector<std::string> warnings;    // "code: text", besides those about the load
};

/// `fleet` may be null. `cutting`: how the policy cuts requests into nodes, which decides what fits.
Preflight preflight(const Workload& workload, const Fleet* fleet, TraceReport report,
                    const Cutting& cutting = {});

/// "muster.check/1": exact decimals, seconds from the trace origin.
std::string preflight_json(const Preflight& found);

}  // namespace muster
