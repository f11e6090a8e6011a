#pragma once
#include "io/config/document.hpp"
#include "muster/io/experiment.hpp"

namespace muster {

/// Makes the policy of an experiment.
LoadedPolicy make_policy(Document experiment);

}  // namespace muster
