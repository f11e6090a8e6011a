#pragma once
#include <array>
#include <string_view>

#include "muster/cluster/demand.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/parts/price.hpp"

namespace muster {

// What policies can be told about how requests are cut into nodes, in the same words wherever it is
// asked for.

/// The levels that gangs stay inside, or should.
inline void locality_params(ParamVisitor& visit, Cutting& cutting) {
  static constexpr std::array<std::string_view, 6> kLevelNames{"node", "nvlink", "leaf",
                                                               "pod",  "fabric", "any"};
  visit.choice("locality", cutting.required, kLevelNames,
               "the level a gang must stay inside if its job does not say");
  visit.choice("prefer", cutting.preferred, kLevelNames,
               "the level a gang should stay inside if its job does not say");
}

/// GPUs in MIG mode.
inline void mig_params(ParamVisitor& visit, Cutting& cutting) {
  visit.choice(
      "mig_placement", cutting.mig_placement, kMigPlacementNames,
      "where a MIG instance goes: where it takes the least choice from what could still be "
      "made, large profiles first (keep_largest), or the first GPU and slots that are free");
  visit.visit("mig_reconfigure", cutting.mig_reconfigure,
              "what making an instance takes, before the job runs; one that stands there idle with "
              "the same profile and slots costs nothing");
  check_price("mig_reconfigure", cutting.mig_reconfigure);
}

}  // namespace muster
