#include "io/config/outages_part.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "io/config/failures_part.hpp"
#include "io/config/idle_keys.hpp"
#include "io/config/node_list.hpp"
#include "io/config/params_schema.hpp"
#include "io/config/parts.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"

namespace muster {
namespace {

using Place = std::function<std::string(std::string_view)>;

std::string seconds_text(SimTime t) { return to_decimal(t.time_since_epoch().count(), 9) + " s"; }

/// A list of objects at `pointer`; calls visit(object, its pointer) for each.
template <class Visit>
void each_object(const Document& experiment, const std::string& pointer, Visit visit) {
  const Json* list = experiment.find(pointer);
  if (!list) return;
  if (!list->is_array()) experiment.expected(pointer, "a list of objects");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string at = pointer + "/" + std::to_string(i);
    if (!(*list)[i].is_object()) experiment.expected(at, "an object");
    visit((*list)[i], at);
  }
}

/// Takes a member out of an object; null if it is not there.
Json take(Json& object, const char* key) {
  if (!object.contains(key)) return nullptr;
  Json value = object[key];
  object.erase(key);
  return value;
}

std::vector<std::string> names_at(const Document& experiment, const std::string& pointer,
                                  const Json& list) {
  std::vector<std::string> names;
  if (list.is_null()) return names;
  if (!list.is_array()) experiment.expected(pointer, "a list of names");
  for (const Json& name : list) {
    if (!name.is_string()) experiment.expected(pointer, "a list of names");
    names.push_back(name.get<std::string>());
  }
  return names;
}

SimTime after_start(Duration d) { return d == kUnlimited ? kNever : kStart + d; }

/// `to`, or `from` + `lasts`. kNever if neither is said and `open` allows that.
SimTime end_of(const Place& place, Duration from, Duration to, Duration lasts, bool open) {
  if (to != kUnknown && lasts != kUnknown)
    throw InputError(place("lasts"), "says again when it ends", "\"to\" or \"lasts\", not both");
  if (from == kUnknown || from == kUnlimited)
    throw InputError(place("from"), "expected the time at which it begins", "for example 36h");
  if (to == kUnknown && lasts == kUnknown) {
    if (open) return kNever;
    throw InputError(place("to"), "expected the time at which it ends",
                     "or \"lasts\", how long it takes");
  }
  const SimTime end = to != kUnknown ? after_start(to) : later(kStart + from, lasts);
  if (end <= kStart + from)
    throw InputError(place(to != kUnknown ? "to" : "lasts"),
                     "expected an end after its beginning (" + seconds_text(kStart + from) +
                         "), got " + seconds_text(end));
  return end;
}

struct ReservationParams {
  std::string id, job;
  Duration requested_at = kUnknown, from = kUnknown, to = kUnknown, lasts = kUnknown;
  std::int64_t gpus = 0;
  void walk(ParamVisitor& visit) {
    visit.visit("id", id, "by which jobs are tied to it (their column `reservation`)");
    visit.visit("requested_at", requested_at,
                "when it is asked for, and confirmed or denied; 0, or the job's submit time");
    visit.visit("from", from, "when it begins");
    visit.visit("to", to, "when it ends");
    visit.visit("lasts", lasts, "how long it takes, in place of `to`");
    visit.visit("gpus", gpus, 0, 1 << 24, "as many whole nodes as have so many GPUs");
    visit.visit("job", job,
                "the job for which it is made: what that asks for, for as long as it says");
  }
};

JobId job_called(const Workload& jobs, const std::string& id, const std::string& where) {
  for (std::uint32_t i = 0; i < jobs.size(); ++i)
    if (jobs.id_text(JobId{i}) == id) return JobId{i};
  throw InputError(where, "no job of the trace that is replayed is called \"" + id + "\"");
}

/// A shape of its own, which is tied to the reservation.
void tie_job(Workload& jobs, JobId j, const std::string& id) {
  Shape shape = jobs.shapes[jobs.shape[j]];
  shape.reservation = jobs.names.intern(id);
  jobs.shape[j] = jobs.shapes.push_back(shape);
}

void read_reservation(const Document& experiment, Json object, const std::string& at,
                      const Fleet& fleet, Workload& jobs, OutagePlan& plan) {
  const Place place = [&](std::string_view name) {
    return experiment.where(name.empty() ? at : at + "/" + std::string{name});
  };
  const Json nodes = take(object, "nodes");
  OutagePlan::Reservation r;
  r.users = names_at(experiment, at + "/users", take(object, "users"));
  r.queues = names_at(experiment, at + "/queues", take(object, "queues"));
  ReservationParams p;
  read_params_object(object, [&](ParamVisitor& visit) { p.walk(visit); },
                     {"a reservation", place, {"nodes", "users", "queues"}});
  if (p.id.empty()) throw InputError(place("id"), "expected a name", "jobs are tied to it by that");
  for (const OutagePlan::Reservation& other : plan.reservations)
    if (other.id == p.id)
      throw InputError(place("id"), "there is a reservation \"" + p.id + "\" already");
  r.id = p.id;
  if ((!nodes.is_null()) + (p.gpus > 0) + (!p.job.empty()) != 1)
    throw InputError(place(""), "expected one of nodes, gpus and job",
                     "\"nodes\": 4, \"nodes\": [\"n0\", \"n1\"], \"gpus\": 32 or \"job\": \"J17\"");
  r.to = end_of(place, p.from, p.to, p.lasts, !p.job.empty());
  r.from = kStart + p.from;
  if (!p.job.empty()) {
    r.job = job_called(jobs, p.job, place("job"));
    tie_job(jobs, r.job, p.id);
  } else if (p.gpus > 0) {
    std::int64_t sum = 0;
    for (std::uint32_t n = 0; n < fleet.nodes.size() && sum < p.gpus; ++n, ++r.count)
      sum += fleet.gpus_of(NodeId{n});
    if (sum < p.gpus)
      throw InputError(place("gpus"), "expected at most the " + std::to_string(sum) +
                                          " GPUs of the fleet, got " + std::to_string(p.gpus));
  } else if (nodes.is_number_integer()) {
    const auto count = nodes.get<std::int64_t>();
    if (count < 1 || count > static_cast<std::int64_t>(fleet.nodes.size()))
      throw InputError(place("nodes"), "expected 1.." + std::to_string(fleet.nodes.size()) +
                                           " nodes, which is what the fleet has, got " +
                                           std::to_string(count));
    r.count = static_cast<std::uint32_t>(count);
  } else {
    r.nodes = node_list(fleet, nodes, place("nodes"));
  }
  r.requested = p.requested_at != kUnknown ? after_start(p.requested_at)
                : r.job != kNoJob          ? jobs.submit[r.job]
                                           : kStart;
  if (r.requested > r.from)
    throw InputError(place("requested_at"), "is asked for at " + seconds_text(r.requested) +
                                                ", after it begins (" + seconds_text(r.from) + ")");
  plan.reservations.push_back(std::move(r));
}

struct MaintenanceParams {
  Duration announced_at{}, from = kUnknown, to = kUnknown, lasts = kUnknown, gap{};
  std::string rolling;
  bool drain = false;
  void walk(ParamVisitor& visit) {
    visit.visit("announced_at", announced_at, "when it becomes known");
    visit.visit("from", from, "when it begins");
    visit.visit("to", to, "when it ends");
    visit.visit("lasts", lasts, "how long it takes, in place of `to`");
    visit.visit(
        "rolling", rolling,
        "node, nvlink, leaf or pod: one domain of that level after another, each for `lasts`");
    visit.visit("gap", gap, "rolling: between the end of one and the beginning of the next");
    visit.visit("drain", drain,
                "whoever is there when it begins may end in peace; nobody knows of it before");
  }
};

/// The nodes of each domain of a level, as far as they are among `nodes`.
std::vector<std::vector<NodeId>> by_domain(const Fleet& fleet, const std::vector<NodeId>& nodes,
                                           const std::string& level, const std::string& where) {
  static constexpr std::array kLevelsToRoll{Level::node, Level::nvlink, Level::leaf, Level::pod};
  std::vector<std::vector<NodeId>> groups;
  for (const Level l : kLevelsToRoll) {
    if (name(l) != level) continue;
    std::uint32_t last = UINT32_MAX;
    for (const NodeId n : nodes) {
      const std::uint32_t domain =
          l == Level::node ? n.value : fleet.domain_of[static_cast<std::size_t>(l)][n];
      if (domain != last) groups.emplace_back();
      groups.back().push_back(n);
      last = domain;
    }
    return groups;
  }
  throw InputError(where, "expected node, nvlink, leaf or pod, got \"" + level + "\"");
}

void read_maintenance(const Document& experiment, Json object, const std::string& at,
                      const Fleet& fleet, OutagePlan& plan) {
  const Place place = [&](std::string_view name) {
    return experiment.where(name.empty() ? at : at + "/" + std::string{name});
  };
  Json listed = take(object, "nodes");
  MaintenanceParams p;
  read_params_object(object, [&](ParamVisitor& visit) { p.walk(visit); },
                     {"a maintenance", place, {"nodes"}});
  refuse_announced_drain(object, "announced_at", p.drain, place);
  if (listed.is_null()) listed = "all";
  const std::vector<NodeId> nodes = node_list(fleet, listed, place("nodes"));
  OutagePlan::Outage o;
  o.announced = after_start(p.announced_at);
  o.to = end_of(place, p.from, p.to, p.lasts, false);
  o.from = kStart + p.from;
  o.drain = p.drain;
  if (o.announced > o.from)
    throw InputError(place("announced_at"), "is announced at " + seconds_text(o.announced) +
                                                ", after it begins (" + seconds_text(o.from) + ")");
  const auto add = [&](std::vector<NodeId> of) {
    if (p.drain) o.announced = o.from;
    o.nodes = std::move(of);
    plan.outages.push_back(o);
  };
  if (p.rolling.empty()) {
    if (p.gap != Duration{})
      throw InputError(place("gap"), "goes with rolling", "for example \"rolling\": \"leaf\"");
    return add(nodes);
  }
  for (std::vector<NodeId>& group : by_domain(fleet, nodes, p.rolling, place("rolling"))) {
    add(std::move(group));
    const Duration length = o.to - o.from;
    o.from = later(o.to, p.gap);
    o.to = later(o.from, length);
  }
}

void refuse_overlaps(const Document& experiment, const Fleet& fleet, const OutagePlan& plan) {
  for (std::size_t i = 0; i < plan.outages.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const OutagePlan::Outage &a = plan.outages[k], &b = plan.outages[i];
      if (a.from >= b.to || b.from >= a.to) continue;
      std::vector<NodeId> both;
      std::set_intersection(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                            std::back_inserter(both));
      if (!both.empty())
        throw InputError(experiment.where("/maintenance"),
                         fleet.node_name(both.front()) + " is in two at once: from " +
                             seconds_text(a.from) + " to " + seconds_text(a.to) + ", and from " +
                             seconds_text(b.from) + " to " + seconds_text(b.to),
                         "one that is longer, or two that do not overlap");
    }
}

}  // namespace

std::shared_ptr<const OutagePlan> read_outages(const Document& experiment, const Fleet& fleet,
                                               Workload& jobs, std::uint64_t seed) {
  auto plan = std::make_shared<OutagePlan>();
  each_object(experiment, "/maintenance", [&](const Json& object, const std::string& at) {
    read_maintenance(experiment, object, at, fleet, *plan);
  });
  refuse_overlaps(experiment, fleet, *plan);
  read_failures(experiment, fleet, seed, jobs, *plan);
  each_object(experiment, "/reservations", [&](const Json& object, const std::string& at) {
    read_reservation(experiment, object, at, fleet, jobs, *plan);
  });
  if (plan->empty() && plan->reaction.retries < 0 && plan->write_time.empty() && !plan->storage)
    return nullptr;
  return plan;
}

void check_outages(const Document& experiment, const OutagePlan& plan, const Policy& policy,
                   const std::string& family, const std::string& name) {
  const std::string who = "policy " + name + (name == family ? "" : " (family " + family + ")");
  if (!plan.reservations.empty() && !policy.keeps_reservations())
    throw InputError(
        experiment.where("/reservations"), who + " keeps no reservations",
        "family batch does, with any promise but count, without defrag and without pack_capacity");
  if (plan.reaction.detection > Duration{} && policy.reshapes())
    throw InputError(experiment.where("/failures/detection_delay"),
                     who + " moves or resizes jobs, and would do so to jobs that hang",
                     "0 where jobs change their places or sizes while they run");
  if (plan.reaction.shrink && family != "elastic")
    throw InputError(experiment.where("/failures/on_failure"),
                     who + " lets nobody go on with fewer GPUs",
                     "family elastic does; requeue, swap and evict go with every family");
}

void outages_text(const Document& experiment, Json& all) {
  for (const char* part : {"reservations", "maintenance", "failures"}) {
    const std::string pointer = "/" + std::string{part};
    const Json* given = experiment.find(pointer);
    if (!given) continue;
    all[part] = *given;
    if (given->is_object() && given->contains("trace"))
      all[part]["trace"] = experiment.path(pointer + "/trace").string();
  }
}

Json outages_schemas() {
  const Json names{{"type", "array"}, {"items", {{"type", "string"}}}};
  const auto list = [&](Json item) { return Json{{"type", "array"}, {"items", std::move(item)}}; };
  Json reservation =
      params_schema_object([](ParamVisitor& visit) { ReservationParams{}.walk(visit); });
  reservation["properties"]["nodes"] = {
      {"description", "how many nodes, or which"},
      {"anyOf",
       Json::array({Json{{"type", "integer"}, {"minimum", 1}}, names, Json{{"const", "all"}}})}};
  reservation["properties"]["users"] = names;
  reservation["properties"]["queues"] = names;
  Json maintenance =
      params_schema_object([](ParamVisitor& visit) { MaintenanceParams{}.walk(visit); });
  maintenance["properties"]["nodes"] = {{"description", "which nodes; all if it is left out"},
                                        {"anyOf", Json::array({names, Json{{"const", "all"}}})}};
  return {{"reservations", list(std::move(reservation))},
          {"maintenance", list(std::move(maintenance))},
          {"failures", failures_schema()}};
}

}  // namespace muster
