#pragma once
#include "setting.hpp"

namespace muster::cases {

/// What the policy of a case says for all of its jobs.
struct JobDefaults {
  std::string checkpoint, restart_overhead;
};

Trace read_jobs(const Json& jobs, const JobDefaults& defaults, const std::string& time_zone,
                bool& rows_are_lines);

/// What a case says of nodes that leave, come back, or are kept for somebody.
OutagePlan read_outages(Members& fleet, const Fleet& nodes);
/// What its policy does when one fails.
void read_reaction(Members& policy, OutagePlan& outages);

}  // namespace muster::cases
