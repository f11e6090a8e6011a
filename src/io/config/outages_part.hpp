#pragma once
#include <memory>

#include "io/config/document.hpp"
#include "muster/engine/outages.hpp"
#include "muster/policy/policy.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// The parts /reservations, /maintenance and /failures of an experiment, for its fleet and its jobs. A job
/// for which a reservation is made is tied to it. Null if there are none.
std::shared_ptr<const OutagePlan> read_outages(const Document& experiment, const Fleet& fleet,
                                               Workload& jobs, std::uint64_t seed);

/// InputError if the policy can't do what they ask for.
void check_outages(const Document& experiment, const OutagePlan& plan, const Policy& policy,
                   const std::string& family, const std::string& name);

/// The parts as the experiment's text repeats them, files relative to the working directory.
void outages_text(const Document& experiment, Json& all);

/// Their schemas, by part.
Json outages_schemas();

}  // namespace muster
