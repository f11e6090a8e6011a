#include "../elastic/core.hpp"
#include "muster/core/error.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/core_policy.hpp"
#include "muster/policy/parts/cutting_params.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/parts/price.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace elastic {

void Params::walk(ParamVisitor& visit) {
  choose_part<SizeRules>(visit, "sizes", sizes, "how many GPUs each job has");
  size_options.walk(visit);
  visit.visit(
      "resize_cost", resize_cost,
      "what a job pays on its new GPUs each time its size or place changes, and when it runs "
      "again after it was stopped (there the trace's restart_cost goes first)");
  visit.visit("cooldown", cooldown, "no job is changed again within this time; 0: at once");
  visit.visit("interval", interval,
              "running jobs are changed at multiples of this only; 0: whenever something happens");
  visit.visit("caps", caps, "GPUs that a queue may use at once, by name");
  choose_part<Placers>(visit, "placer", placer, "where a gang goes");
  visit.choice("span", cutting.span, kSpanNames, "how a bare number of GPUs is cut into nodes");
  locality_params(visit, cutting);
  mig_params(visit, cutting);
  walk_planning(visit, planning);
}

}  // namespace elastic

namespace {

/// Jobs whose number of GPUs changes while they run. How many each has is a part of its own
/// (src/policy/sizes): shrink-to-admit and grow-when-idle (CONVENTIONS C13), what users ask for, Optimus
/// (Peng et al., EuroSys'18), AFS (Hwang et al., NSDI'21), Pollux (Qiao et al., OSDI'21), Sia (Jayaram
/// Subramanya et al., SOSP'23). Queue order is by priority, then submit time.
class Elastic final : public CorePolicy<elastic::Core> {
 public:
  using Params = elastic::Params;

  explicit Elastic(const Params& p) : CorePolicy(p) {
    check(p.planning);
    for (const auto& [name, time] : {std::pair{"cooldown", p.cooldown}, {"interval", p.interval}})
      if (time < Duration{})
        throw InputError(std::string{"/policy/"} + name, "expected a time of 0 or more",
                         "for example " + std::string{name} + "=30s");
    check_price("resize_cost", p.resize_cost);
    if (p.size_options.power != SizeOptions{}.power && p.sizes != "pollux" && p.sizes != "sia")
      throw InputError("/policy/power",
                       "changes nothing: sizes=" + p.sizes + " does not look at it",
                       "leave it out, or sizes=pollux, sia");
  }

  bool reshapes() const override { return true; }
  bool by_queue() const override { return !core_.params().caps.empty(); }
};

const RegisterPolicy<Elastic> registered{"elastic",
                                         "jobs grow and shrink while they run: shrink to admit, "
                                         "users' wishes, Optimus, AFS, Pollux, Sia"};

}  // namespace
}  // namespace muster
