#include "io/config/processes_part.hpp"

#include <array>

#include "io/config/idle_keys.hpp"
#include "io/config/params_schema.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"

namespace muster {
namespace {

/// Repair times of 365 faults of 400 servers: median 20.4 h, mean 132.8 h (InfiniteHBD's trace), so the
/// logarithm has a sigma of sqrt(2 ln(132.8 / 20.4)).
constexpr Duration kMedianRepair = std::chrono::minutes{1224};
constexpr double kRepairSigma = 1.94;

struct ProcessParams {
  FailureProcess process = usual_process();
  bool transient = false;

  void walk(ParamVisitor& visit) {
    static constexpr std::array<std::string_view, 2> kKinds{"hard", "transient"};
    static constexpr std::array<std::string_view, 7> kScopes{"node",   "gpu",  "nic", "link",
                                                             "nvlink", "leaf", "pod"};
    static constexpr std::array<std::string_view, 3> kLaws{"exponential", "weibull", "lognormal"};
    static constexpr std::array<std::string_view, 3> kRepairs{"lognormal", "exponential", "fixed"};
    visit.visit("name", process.name, "by which its failures are counted, and its numbers drawn");
    visit.choice(
        "scope", process.scope, kScopes,
        "what fails: a node, a GPU, NIC or link of one, which take it down; or what a domain "
        "of that level hangs on, which takes down all of its nodes");
    visit.choice("law", process.law, kLaws, "how long one lives until it fails");
    visit.visit("rate", process.rate, 0, 1e9, "failures of one of them per 1000 days");
    visit.visit(
        "shape", process.shape, 0.05, 100,
        "weibull: its shape (below 1: many fail early); lognormal: the sigma of the logarithm");
    int kind = transient;
    visit.visit(
        "kind", kind, kKinds,
        "hard: it has to be repaired; transient: repair is fixed and repair_time 0, if they "
        "are not said");
    transient = kind == 1;
    if (transient) {
      process.repair = FailureProcess::Repair::fixed;
      process.repair_time = {};
    }
    visit.choice("repair", process.repair, kRepairs, "how long a repair takes");
    visit.visit("repair_time", process.repair_time,
                "lognormal: its median; exponential: its mean; fixed: all of it");
    visit.visit("repair_sigma", process.repair_sigma, 0, 10,
                "lognormal: the sigma of the logarithm of the repair time");
  }
};

}  // namespace

FailureProcess usual_process() {
  FailureProcess process;
  process.repair_time = kMedianRepair;
  process.repair_sigma = kRepairSigma;
  return process;
}

void refuse_wide(const FailureProcess& process, const std::string& where) {
  if (process.law == FailureProcess::Law::lognormal && process.shape > 4)
    throw InputError(where, "expected at most 4 with law \"lognormal\"",
                     "it is the sigma of the logarithm; 1 to 2 is usual");
}

std::vector<FailureProcess> read_processes(const Document& experiment, const Json& list) {
  if (!list.is_array()) experiment.expected("/failures/processes", "a list of objects");
  std::vector<FailureProcess> processes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = "/failures/processes/" + std::to_string(i);
    const auto place = [&](std::string_view name) {
      return experiment.where(name.empty() ? at : at + "/" + std::string{name});
    };
    ProcessParams p;
    p.process.name.clear();
    read_params_object(list[i], [&](ParamVisitor& visit) { p.walk(visit); },
                       {"a process of failures", place});
    if (p.process.name.empty())
      throw InputError(place("name"), "expected a name", "its failures are counted by that");
    for (const char* taken : {"maintenance", "quarantine", "event", "drain", "reservation"})
      if (p.process.name == taken)
        throw InputError(place("name"), "\"" + p.process.name + "\" is how others are counted",
                         "another name");
    for (const FailureProcess& other : processes)
      if (other.name == p.process.name)
        throw InputError(place("name"), "there is a process \"" + other.name + "\" already");
    if (p.process.rate <= 0)
      throw InputError(place("rate"), "needs a rate above 0", "for example \"rate\": 6.5");
    if (p.transient && p.process.repair != FailureProcess::Repair::fixed)
      throw InputError(place("repair"),
                       "a transient failure is over at once, or after a fixed time",
                       "leave it out, or \"kind\": \"hard\"");
    refuse_idle_law(list[i], p.process, place);
    refuse_wide(p.process, place("shape"));
    const bool at_once =
        p.process.repair == FailureProcess::Repair::fixed && p.process.repair_time == Duration{};
    if ((p.process.repair_time <= Duration{} && !(p.transient && at_once)) ||
        p.process.repair_time == kUnlimited)
      throw InputError(place("repair_time"), "expected a time above 0", "for example 20h");
    processes.push_back(std::move(p.process));
  }
  return processes;
}

Json process_schema() {
  ProcessParams p;
  p.process.name.clear();  // each says its own
  return params_schema_object([&](ParamVisitor& visit) { p.walk(visit); });
}

}  // namespace muster
