#include "muster/policy/parts/planning.hpp"

#include <array>

#include "muster/core/error.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/predictor.hpp"
#include "muster/policy/parts/price.hpp"

namespace muster {

void walk_planning(ParamVisitor& visit, Planning& planning) {
  static constexpr std::array<std::string_view, 3> kEstimates{"user", "perfect", "predicted"};
  visit.choice(
      "estimates", planning.estimates, kEstimates,
      "plan with the users' estimates, with perfect ones, or with what a predictor makes of "
      "the jobs that have ended so far");
  choose_part<Predictors>(
      visit, "predictor", planning.predictor,
      "for estimates=predicted and order=qssf; auto: rolling for qssf, else last_two", "auto");
  walk_limits(visit, planning);
}

void walk_limits(ParamVisitor& visit, Planning& planning) {
  visit.visit("default_estimate", planning.default_estimate,
              "for jobs without an estimate; not set: 24 h, and nobody is killed for passing it");
  visit.visit("kill_at_limit", planning.kill_at_limit,
              "stop a job at its limit; false: let it run");
}

void check(const Planning& planning) {
  if (planning.default_estimate != kUnknown && planning.default_estimate <= Duration{})
    throw InputError("/policy/default_estimate", "expected a time above 0",
                     "for example default_estimate=4h; left out, jobs without an estimate are "
                     "planned with 24 h");
  if (planning.restart_cost != kUnknown) check_price("restart_cost", planning.restart_cost);
}

void refuse_idle_estimate(const Planning& planning, const std::string& who) {
  if (planning.default_estimate != kUnknown && !planning.kill_at_limit)
    throw InputError(
        "/policy/default_estimate",
        "changes nothing: " + who +
            " goes by no estimate, and with kill_at_limit=false nobody is stopped at one",
        "leave it out, or kill_at_limit=true to stop jobs without an estimate then");
}

}  // namespace muster
