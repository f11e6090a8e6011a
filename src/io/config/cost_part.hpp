#pragma once
#include "io/config/document.hpp"
#include "muster/policy/cost_options.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// Reads the part /cost of an experiment; the result has all of it.
Json read_cost(Document experiment, CostOptions& options);

/// What the jobs of a trace train, by what /cost says: CostOptions::trainings. Their shapes are told apart
/// by models from then on, since these cost different times in different places.
void read_trainings(const Document& experiment, Workload& jobs, CostOptions& options);

}  // namespace muster
