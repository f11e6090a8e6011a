#pragma once
#include <optional>
#include <string>

#include "muster/cluster/fit.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// What policies say of a job in words, with the numbers of this moment.

/// The waiting cause of a misfit; `order` stands for Fit::yes, "it fits".
Cause cause_of_misfit(Fit f);

/// "5400 s".
std::string at_text(SimTime t);
/// "1 GPU", "3 GPUs".
std::string count_text(std::uint64_t n, const std::string& what);
/// "1 GPU", "2.5 GPUs", of thousandths.
std::string gpus_text(std::int64_t milli);

/// What `d` needs and what is free instead: "needs 8 whole nodes; 92 GPUs are free, but on ...".
std::string misfit_text(const View& view, const Demand& d, Fit f);

/// When the running jobs' predicted ends make room for `d`, and which of them it takes.
std::string relief_text(const View& view, const Demand& d);

/// Why `job` could not run on the empty fleet, if so (CONVENTIONS C8).
/// The same of a MIG instance: which slots it needs, and which are in use.
std::string mig_misfit_text(const Cluster& c, const Demand& d);
/// Why even the empty fleet has none: what follows on "needs a 3g MIG instance".
std::string mig_never_text(const Cluster& empty, const Demand& d);
std::optional<Rejection> never_fits(const View& view, const Cluster& empty, JobId job);

}  // namespace muster
