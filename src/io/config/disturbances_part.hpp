#pragma once
#include <memory>

#include "io/config/document.hpp"
#include "muster/engine/disturbances.hpp"
#include "muster/policy/cost_options.hpp"
#include "muster/topology/fleet.hpp"

namespace muster {

/// The parts /stragglers and /links of an experiment; null if there are none.
std::shared_ptr<const Disturbances> read_disturbances(const Document& experiment,
                                                      const Fleet& fleet, const CostOptions& cost,
                                                      std::uint64_t seed);
/// What the experiment says of them, for the results.
void disturbances_text(const Document& experiment, Json& all);

/// {"stragglers": ..., "links": ...}
Json disturbances_schemas();

}  // namespace muster
