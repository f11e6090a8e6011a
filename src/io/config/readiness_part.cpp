#include <array>

#include "io/config/idle_keys.hpp"
#include "io/config/params_schema.hpp"
#include "io/config/processes_part.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"

namespace muster {
namespace {

struct ReadinessParams {
  OutagePlan::Readiness rule;
  void walk(ParamVisitor& visit) {
    static constexpr std::array<std::string_view, 4> kLaws{"none", "exponential", "lognormal",
                                                           "fixed"};
    visit.choice(
        "law", rule.law, kLaws,
        "how long a worker, one on each node, takes to be ready after its job has started");
    visit.visit("time", rule.time,
                "exponential: its mean; lognormal: its median; fixed: all of it");
    visit.visit("sigma", rule.sigma, 0, 10, "lognormal: the sigma of the logarithm");
    visit.visit("stays", rule.stays,
                "for how long on average (exponential) a worker that is ready stays so while it "
                "waits for the others; then it takes its time again");
    visit.visit(
        "gating", rule.gating,
        "all GPUs of the job count as starting until the last worker is ready; false: those "
        "whose workers are ready are hoarded");
  }
};

}  // namespace

OutagePlan::Readiness read_readiness(const Document& experiment, const Json& given) {
  if (given.is_null()) return {};
  const auto place = [&](std::string_view name) {
    return experiment.where("/failures/readiness" + (name.empty() ? "" : "/" + std::string{name}));
  };
  if (!given.is_object()) experiment.expected("/failures/readiness", "an object");
  ReadinessParams p;
  read_params_object(given, [&](ParamVisitor& visit) { p.walk(visit); }, {"readiness", place});
  if (p.rule.law == OutagePlan::Readiness::Law::none)
    throw InputError(place("law"), "expected a law", "for example \"lognormal\"");
  if (p.rule.time <= Duration{} || p.rule.time == kUnlimited)
    throw InputError(place("time"), "expected a time above 0", "for example 30s");
  if (p.rule.stays <= Duration{})
    throw InputError(place("stays"), "expected a time above 0", "for example 10min");
  refuse_idle(given, "sigma", p.rule.law != OutagePlan::Readiness::Law::lognormal, place,
              "law lognormal", "leave one of the two out");
  return p.rule;
}

Json readiness_schema() {
  return params_schema_object([](ParamVisitor& visit) { ReadinessParams{}.walk(visit); });
}

}  // namespace muster
