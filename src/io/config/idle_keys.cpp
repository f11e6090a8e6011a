#include "io/config/idle_keys.hpp"

#include <algorithm>

#include "muster/core/error.hpp"

namespace muster {

void refuse_idle(const Json& object, const char* key, bool idle, const PlaceOf& place,
                 const std::string& goes_with, const std::string& hint) {
  if (idle && object.contains(key)) throw InputError(place(key), "goes with " + goes_with, hint);
}

void refuse_announced_drain(const Json& object, const char* key, bool drain, const PlaceOf& place) {
  if (drain && object.contains(key))
    throw InputError(place(key), "a drain is known when it begins, and its end with it",
                     "leave \"" + std::string{key} + "\" out, or \"drain\"");
}

void refuse_idle_law(const Json& object, const FailureProcess& p, const PlaceOf& place) {
  using Law = FailureProcess::Law;
  using Repair = FailureProcess::Repair;
  refuse_idle(object, "shape", p.law == Law::exponential, place, "law weibull or lognormal",
              "the exponential law has a rate and no shape: leave it out");
  refuse_idle(object, "repair_sigma", p.repair != Repair::lognormal, place, "repair lognormal",
              "leave one of the two out");
}

void refuse_without_failures(const Json& object, const OutagePlan& plan, const PlaceOf& place) {
  const bool fails =
      std::any_of(plan.outages.begin(), plan.outages.end(),
                  [](const OutagePlan::Outage& o) { return o.kind == Window::Kind::down; });
  const bool none = !fails && plan.failures.processes.empty();
  std::string hint = "\"law\" and \"rate\", \"processes\", \"events\" or a \"trace\"";
  if (!plan.outages.empty()) hint += "; maintenance and drains are no failures";
  for (const char* key : {"on_failure", "detection_delay", "quarantine_after"})
    refuse_idle(object, key, none, place, "nodes that fail, and none can", hint);
  refuse_idle(object, "announced", !fails, place, "failures that are given, and none is",
              "\"events\" or a \"trace\"; when one that is drawn is over nobody knows");
}

}  // namespace muster
