#include "io/config/failures_part.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "io/config/fault_trace.hpp"
#include "io/config/idle_keys.hpp"
#include "io/config/node_list.hpp"
#include "io/config/params_schema.hpp"
#include "io/config/processes_part.hpp"
#include "io/config/read_params.hpp"
#include "io/config/storage_part.hpp"
#include "io/config/text_file.hpp"
#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/engine/failure_laws.hpp"
#include "muster/workload/checkpoints.hpp"

namespace muster {
namespace {

enum class CheckpointRule : std::uint8_t { given, young, daly };

/// Of the process that the keys of /failures themselves say; after "none" in the order of the laws.
enum class OwnLaw : std::uint8_t { none, exponential, weibull, lognormal };

struct FailureParams {
  std::string trace;
  bool announced = false;
  OutagePlan::Reaction reaction;
  OwnLaw law = OwnLaw::none;
  FailureProcess own = usual_process();
  OutagePlan::Quarantine quarantine;
  Duration preemption_grace = kUnknown;
  CheckpointRule checkpoint = CheckpointRule::given;
  Duration checkpoint_interval = kUnknown, checkpoint_cost = kUnknown;

  void walk(ParamVisitor& visit) {
    static constexpr std::array<std::string_view, 4> kReactions{"requeue", "swap", "evict",
                                                                "shrink"};
    static constexpr std::array<std::string_view, 4> kLaws{"none", "exponential", "weibull",
                                                           "lognormal"};
    static constexpr std::array<std::string_view, 3> kRepairs{"lognormal", "exponential", "fixed"};
    static constexpr std::array<std::string_view, 3> kRules{"given", "young", "daly"};
    visit.visit("trace", trace, "a file of faults in the format of InfiniteHBD's trace");
    visit.visit("announced", announced, "whether the end of a fault is known when it begins");
    int choice = 0;
    visit.visit(
        "on_failure", choice, kReactions,
        "a job on a node that fails waits again (requeue), or a spare takes the node's "
        "place, if there is one (swap), or else a node that is idle or has less urgent jobs "
        "(evict), or an elastic job goes on without it (shrink, family elastic)");
    reaction.evict = choice == 2;
    reaction.swap = choice == 1 || choice == 2;
    reaction.shrink = choice == 3;
    visit.visit("spare_activation", reaction.activation,
                "until a cold spare works: the job that it is for waits for it");
    visit.visit("preemption_grace", preemption_grace,
                "the grace time of jobs whose trace gives none; a preempted job that can write a "
                "checkpoint within its grace time does so, and loses nothing");
    visit.visit("detection_delay", reaction.detection,
                "for so long such a job hangs before anybody notices");
    visit.visit("retries", reaction.retries, -1, 1'000'000,
                "a job that is interrupted more often has failed; -1: none has");
    visit.visit("quarantine_after", quarantine.after, 0, 1'000'000,
                "a node that has failed so often is taken out; 0: never");
    visit.visit("quarantine_window", quarantine.window, "... so often within this time");
    visit.visit("quarantine_time", quarantine.time, "for so long; 0: for good");
    visit.choice("law", law, kLaws, "how long a node lives until it fails");
    visit.visit("rate", own.rate, 0, 1e9, "failures per 1000 node-days");
    visit.visit("gpu_rate", own.gpu_rate, 0, 1e9,
                "failures per 1000 GPU-days, which take the node down; both rates are added up");
    visit.visit("shape", own.shape, 0.05, 100,
                "weibull: its shape (below 1: many nodes fail early); lognormal: the sigma of the "
                "logarithm");
    visit.choice("repair", own.repair, kRepairs, "how long a repair takes");
    visit.visit("repair_time", own.repair_time,
                "lognormal: its median; exponential: its mean; fixed: all of it");
    visit.visit("repair_sigma", own.repair_sigma, 0, 10,
                "lognormal: the sigma of the logarithm of the repair time");
    visit.choice("checkpoint", checkpoint, kRules,
                 "how often jobs write a checkpoint whose trace does not say: every "
                 "checkpoint_interval (given), or by Young's or Daly's formula");
    visit.visit("checkpoint_interval", checkpoint_interval,
                "work between two checkpoints; not set: none are written");
    visit.visit("checkpoint_cost", checkpoint_cost,
                "how long a job stops to write one, if its trace does not say");
  }
};

struct EventParams {
  std::string node;
  Duration at = kUnknown, until = kUnknown;
  bool announced = false;
  bool drain = false;
  std::string cause;
  void walk(ParamVisitor& visit) {
    visit.visit("node", node, "which node");
    visit.visit("at", at, "when it fails");
    visit.visit("until", until, "when it is back; not set: not within the run");
    visit.visit("announced", announced, "whether that is known when it fails");
    visit.visit(
        "drain", drain,
        "nothing new starts there any more, what runs may end, and the node is out of service "
        "until then");
    visit.visit("cause", cause, "by which it is counted; not set: event, or drain");
  }
};

OutagePlan::Outage read_event(const Document& experiment, const Json& object, const std::string& at,
                              const Fleet& fleet, bool announced) {
  const auto place = [&](std::string_view name) {
    return experiment.where(name.empty() ? at : at + "/" + std::string{name});
  };
  EventParams p;
  p.announced = announced;
  read_params_object(object, [&](ParamVisitor& visit) { p.walk(visit); },
                     {"an event of failures", place});
  if (p.at == kUnknown || p.at == kUnlimited)
    throw InputError(place("at"), "expected the time at which it fails", "for example 36h");
  if (p.until != kUnknown && p.until <= p.at)
    throw InputError(place("until"), "expected a time after it fails (" +
                                         to_decimal(p.at.count(), 9) + " s), got " +
                                         to_decimal(p.until.count(), 9) + " s");
  OutagePlan::Outage o;
  refuse_announced_drain(object, "announced", p.drain, place);
  o.kind = p.drain ? Window::Kind::maintenance : Window::Kind::down;
  o.drain = p.drain;
  o.announced = o.from = kStart + p.at;
  if (p.until != kUnknown && p.until != kUnlimited) o.to = kStart + p.until;
  o.return_known = p.announced || p.drain;
  if (p.cause == "maintenance" || p.cause == "quarantine")
    throw InputError(place("cause"), "\"" + p.cause + "\" is how others are counted",
                     "another name");
  o.cause = !p.cause.empty() ? p.cause : p.drain ? "drain" : "event";
  o.nodes = {node_called(fleet, p.node, place("node"))};
  return o;
}

/// A number of the last `nodes` nodes, or their names.
std::vector<NodeId> read_nodes(const Fleet& fleet, std::int64_t nodes, const Json& value,
                               const std::string& where) {
  if (!value.is_number()) {
    std::vector<NodeId> named = node_list(fleet, value, where);
    if (value.is_array() && named.size() < value.size())
      throw InputError(where, "names a node twice", "each once");
    return named;
  }
  const std::int64_t count = value.is_number_integer() ? value.get<std::int64_t>() : -1;
  if (count < 0 || count >= nodes)
    throw InputError(where, "expected 0.." + std::to_string(nodes - 1) + " spares (the fleet has " +
                                std::to_string(fleet.nodes.size()) +
                                " nodes), or their names, got " + shown(value));
  std::vector<NodeId> spares;
  for (std::int64_t n = nodes - count; n < nodes; ++n)
    spares.push_back(NodeId{static_cast<std::uint32_t>(n)});
  return spares;
}

/// Hot ones are the last of the fleet, cold ones the last before these.
void read_spares(const Fleet& fleet, const Json& hot, const Json& cold,
                 const std::function<std::string(std::string_view)>& place, OutagePlan& plan) {
  const auto nodes = static_cast<std::int64_t>(fleet.nodes.size());
  plan.spares = read_nodes(fleet, nodes, hot, place("spares"));
  const auto left = hot.is_number() ? nodes - static_cast<std::int64_t>(plan.spares.size()) : nodes;
  plan.cold_spares = read_nodes(fleet, left, cold, place("cold_spares"));
  for (const NodeId n : plan.cold_spares)
    if (std::binary_search(plan.spares.begin(), plan.spares.end(), n))
      throw InputError(place("cold_spares"), fleet.node_name(n) + " is a hot spare");
  plan.spares.insert(plan.spares.end(), plan.cold_spares.begin(), plan.cold_spares.end());
  std::sort(plan.spares.begin(), plan.spares.end());
  if (plan.reaction.activation > Duration{} && plan.cold_spares.empty())
    throw InputError(place("spare_activation"), "is how long a cold spare takes, and there is none",
                     "\"cold_spares\": 2");
}

/// Jobs whose trace gives them no grace time have this one, and whoever is preempted saves what it can.
void set_grace(Duration grace, OutagePlan& plan, Workload& jobs) {
  if (grace == kUnknown) return;
  plan.reaction.saves = true;
  if (jobs.grace.empty()) jobs.grace.assign(jobs.size(), Duration{});
  for (Duration& own : jobs.grace)
    if (own == Duration{}) own = grace;
}

/// The process that the keys of /failures themselves say, if they do: it is called "node".
void read_own_process(const Json& object, const FailureParams& p,
                      const std::function<std::string(std::string_view)>& place,
                      std::vector<FailureProcess>& processes) {
  const bool drawn = p.law != OwnLaw::none;
  if (drawn != (p.own.rate + p.own.gpu_rate > 0))
    throw InputError(place(drawn ? "law" : "rate"), drawn ? "needs a rate above 0" : "needs a law",
                     R"(for example "law": "exponential", "rate": 6.5)");
  if (p.own.repair_time <= Duration{} || p.own.repair_time == kUnlimited)
    throw InputError(place("repair_time"), "expected a time above 0", "for example 20h");
  for (const char* key : {"shape", "repair", "repair_time", "repair_sigma"})
    refuse_idle(object, key, !drawn, place, "a law, and there is none",
                R"(for example "law": "exponential", "rate": 6.5)");
  if (!drawn) return;
  FailureProcess own = p.own;
  own.law = static_cast<FailureProcess::Law>(static_cast<int>(p.law) - 1);
  refuse_idle_law(object, own, place);
  refuse_wide(own, place("shape"));
  for (const FailureProcess& other : processes)
    if (other.name == own.name)
      throw InputError(place("processes"),
                       "the process of the keys \"law\" and \"rate\" is called \"node\", too",
                       "another name, or all of them in the list");
  processes.insert(processes.begin(), std::move(own));
}

bool is_interval(Duration work) { return work > Duration{} && work != kUnlimited; }

/// What one costs is of use to jobs that write some: every so often, or in their grace time.
bool writes_any(const FailureParams& p, const Workload& jobs) {
  return p.checkpoint != CheckpointRule::given || is_interval(p.checkpoint_interval) ||
         p.preemption_grace != kUnknown ||
         std::any_of(jobs.checkpoint_interval.begin(), jobs.checkpoint_interval.end(), is_interval);
}

void refuse_idle_keys(const Json& object, const FailureParams& p, const Workload& jobs,
                      const PlaceOf& place) {
  for (const char* key : {"quarantine_time", "quarantine_window"})
    refuse_idle(object, key, p.quarantine.after == 0, place,
                "quarantine_after, after how many failures it begins",
                "for example \"quarantine_after\": 3");
  if (object.contains("storage") && !writes_any(p, jobs))
    throw InputError(place("storage"), "is where checkpoints are, and no job writes any",
                     "\"checkpoint_interval\": \"1h\", or \"checkpoint\": \"daly\"");
}

/// Jobs whose trace does not say how they write checkpoints do it by the rule.
void set_checkpoints(const FailureParams& p, const Fleet& fleet,
                     const std::function<std::string(std::string_view)>& place,
                     const OutagePlan& plan, Workload& jobs) {
  const bool by_formula = p.checkpoint != CheckpointRule::given;
  if (by_formula && plan.failures.processes.empty())
    throw InputError(place("checkpoint"), "needs a law and a rate of failures",
                     "\"given\" with a checkpoint_interval needs none");
  if (by_formula && p.checkpoint_interval != kUnknown)
    throw InputError(place("checkpoint_interval"), "goes with checkpoint \"given\"",
                     "leave one of the two out");
  if (p.checkpoint_cost != kUnknown && !writes_any(p, jobs))
    throw InputError(place("checkpoint_cost"), "is what a checkpoint costs, and no job writes any",
                     "\"checkpoint_interval\": \"1h\", or \"checkpoint\": \"daly\"");
  if (!by_formula && p.checkpoint_interval == kUnknown && p.checkpoint_cost == kUnknown &&
      plan.write_time.empty())
    return;
  if (jobs.checkpoint_interval.empty()) jobs.checkpoint_interval.assign(jobs.size(), kUnknown);
  if (jobs.checkpoint_cost.empty()) jobs.checkpoint_cost.assign(jobs.size(), kUnknown);
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    const JobId j{i};
    Duration& cost = jobs.checkpoint_cost[j];
    if (cost == kUnknown) cost = p.checkpoint_cost;
    Duration& interval = jobs.checkpoint_interval[j];
    const Duration write = Workload::at_or(plan.write_time, j, Duration{});
    if (interval != kUnknown || !by_formula) {
      if (interval == kUnknown) interval = p.checkpoint_interval;
      interval = CheckpointRhythm::no_faster_than(write, interval, cost);
      continue;
    }
    if (cost <= Duration{} && write > Duration{}) {
      interval = write;  // what costs nothing is done all the time
      continue;
    }
    if (cost <= Duration{})
      throw InputError(place("checkpoint_cost"),
                       "a formula for the interval needs what a checkpoint costs",
                       "for example \"checkpoint_cost\": \"30s\"");
    const Duration mttf = mttf_of_job(plan.failures, fleet, jobs, j);
    interval = p.checkpoint == CheckpointRule::young ? young_interval(cost, mttf)
                                                     : daly_interval(cost, mttf);
    interval = CheckpointRhythm::no_faster_than(write, interval, cost);
  }
}

}  // namespace

void read_failures(const Document& experiment, const Fleet& fleet, std::uint64_t seed,
                   Workload& jobs, OutagePlan& plan) {
  const Json* given = experiment.find("/failures");
  if (!given) return;
  if (!given->is_object()) experiment.expected("/failures", "an object");
  Json object = *given;
  const auto place = [&](std::string_view name) {
    return experiment.where("/failures" + (name.empty() ? "" : "/" + std::string{name}));
  };
  const Json events = object.value("events", Json::array());
  const Json spares = object.value("spares", Json(0));
  object.erase("events");
  object.erase("spares");
  const Json processes = object.value("processes", Json::array());
  object.erase("processes");
  const Json lemons = object.value("lemons", Json());
  object.erase("lemons");
  const Json storage = object.value("storage", Json());
  object.erase("storage");
  plan.readiness = read_readiness(experiment, object.value("readiness", Json()));
  object.erase("readiness");
  const Json cold = object.value("cold_spares", Json(0));
  object.erase("cold_spares");
  FailureParams p;
  read_params_object(object, [&](ParamVisitor& visit) { p.walk(visit); }, {"failures", place});
  plan.reaction = p.reaction;
  plan.failures.seed = seed;
  plan.failures.processes = read_processes(experiment, processes);
  read_own_process(object, p, place, plan.failures.processes);
  plan.quarantine = p.quarantine;
  read_lemons(experiment, lemons, fleet, plan.failures);
  if (!storage.is_null())
    read_storage(experiment, storage, fleet, p.checkpoint_cost != kUnknown, jobs, plan);
  refuse_idle_keys(*given, p, jobs, place);
  set_checkpoints(p, fleet, place, plan, jobs);
  read_spares(fleet, spares, cold, place, plan);
  set_grace(p.preemption_grace, plan, jobs);
  if (!plan.spares.empty() && !p.reaction.swap)
    throw InputError(place("spares"), "are of use with on_failure \"swap\" or \"evict\" only",
                     "\"on_failure\": \"swap\"");
  if (!p.trace.empty()) {
    auto faults = read_fault_trace(experiment.path("/failures/trace"), fleet, place("trace"));
    for (OutagePlan::Outage& o : faults) o.return_known = p.announced;
    plan.outages.insert(plan.outages.end(), faults.begin(), faults.end());
  }
  if (!events.is_array()) experiment.expected("/failures/events", "a list of objects");
  for (std::size_t i = 0; i < events.size(); ++i)
    plan.outages.push_back(read_event(experiment, events[i],
                                      "/failures/events/" + std::to_string(i), fleet, p.announced));
  refuse_without_failures(object, plan, place);
}

Json failures_schema() {
  Json schema = params_schema_object([](ParamVisitor& visit) { FailureParams{}.walk(visit); });
  schema["properties"]["events"] = {
      {"type", "array"},
      {"items", params_schema_object([](ParamVisitor& visit) { EventParams{}.walk(visit); })}};
  schema["properties"]["storage"] = storage_schema();
  schema["properties"]["processes"] = {{"type", "array"}, {"items", process_schema()}};
  schema["properties"]["readiness"] = readiness_schema();
  schema["properties"]["lemons"] = lemons_schema();
  for (const auto& [key, text] :
       {std::pair{"spares",
                  "nodes kept for on_failure swap: how many, the last of the fleet; or which"},
        {"cold_spares",
         "more of them, which take spare_activation to come up; the last before these"}})
    schema["properties"][key] = {
        {"description", text},
        {"anyOf", Json::array({Json{{"type", "integer"}, {"minimum", 0}},
                               Json{{"type", "array"}, {"items", {{"type", "string"}}}}})}};
  return schema;
}

}  // namespace muster
