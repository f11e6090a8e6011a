#include "../rounds/core.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/core_policy.hpp"
#include "muster/policy/parts/cutting_params.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace rounds {

void Params::walk(ParamVisitor& visit) {
  choose_part<Objectives>(visit, "objective", objective,
                          "what the shares of the time on GPUs of each type are good for");
  visit.visit("aware", aware, "knows how fast jobs are on each type; false: takes all for equal");
  visit.visit("round", round, "length of a round: only then jobs start, stop or move");
  visit.visit("every_round", every_round,
              "shares are found anew in each round; false: when somebody came or went");
  visit.visit("fill", fill,
              "GPUs that the shares leave idle go to jobs in order of submission; false: they "
              "stay idle for a round");
  visit.visit("prices", prices, "cost: price of a GPU by type, in any unit; others cost 1");
  visit.visit("weights", weights, "las: weight of each job of a queue; others have 1");
  choose_part<Placers>(visit, "placer", placer, "where a gang goes");
  visit.choice("span", cutting.span, kSpanNames, "how a bare number of GPUs is cut into nodes");
  visit.visit("restart_cost", planning.restart_cost,
              "what a restart or a move costs jobs whose trace does not say; not set: nothing");
  mig_params(visit, cutting);
  walk_planning(visit, planning);
}

}  // namespace rounds

namespace {

/// Gavel's round-based mechanism (Narayanan et al., OSDI'20, sections 4 and 5): an objective divides the time
/// of GPUs of several types among jobs that are faster on some than on others, and rounds see to it that
/// they get that. The objective is a part of its own (src/policy/objectives).
class Rounds final : public CorePolicy<rounds::Core> {
 public:
  using Params = rounds::Params;

  explicit Rounds(const Params& p) : CorePolicy(p) { check(p.planning); }
};

const RegisterPolicy<Rounds> registered{
    "rounds", "GPU types of different speed, shared in rounds: Gavel's objectives, Themis, AlloX"};

}  // namespace
}  // namespace muster
