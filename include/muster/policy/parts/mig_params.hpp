#pragma once
#include "muster/cluster/demand.hpp"
#include "muster/core/error.hpp"
#include "muster/policy/params.hpp"

namespace muster {

/// What all families ask of GPUs in MIG mode.
inline void mig_params(ParamVisitor& visit, Cutting& cutting) {
  visit.choice(
      "mig_placement", cutting.mig_placement, kMigPlacementNames,
      "where a MIG instance goes: where it takes the least choice from what could still be "
      "made, large profiles first (keep_largest), or the first GPU and slots that are free");
  visit.visit("mig_reconfigure", cutting.mig_reconfigure,
              "what making an instance takes, before the job runs; one that stands there idle with "
              "the same profile and slots costs nothing");
  if (cutting.mig_reconfigure < Duration{})
    throw InputError("/policy/mig_reconfigure", "expected a time of 0 or more",
                     "for example mig_reconfigure=5s");
}

}  // namespace muster
