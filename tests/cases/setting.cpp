#include "setting_parts.hpp"

#include "muster/io/fleet.hpp"
#include "muster/io/params_json.hpp"
#include "muster/policy/registry.hpp"

namespace muster::cases {
namespace {

std::string mapped(const std::string& what, const std::string& word,
                   const std::map<std::string, std::string>& known) {
  const auto found = known.find(word);
  if (found == known.end()) throw Unsupported(what + " " + word);
  return found->second;
}

Fleet build_fleet(Members& members) {
  if (const Json* links = members.find("fabric_links"); links && !links->empty())
    throw Unsupported("fleet key fabric_links");
  const Json* nodes = members.find("nodes");
  if (!nodes) throw Unsupported("fleet without nodes");
  for (const Json& node : *nodes) {
    Members one(node, "node");
    for (const char* key :
         {"id", "gpus", "gpu_type", "mig", "rack", "leaf", "pod", "fabric", "nvlink"})
      one.find(key);
    one.done();
  }
  return parse_fleet(Json{{"nodes", *nodes}}.dump(), "fleet");
}

/// MIG instances that are in use as the case begins become jobs: on one GPU, in the order of their
/// slots, with others in the gaps that are gone by the first submit. The first free slot is each one's.
void read_instances(const Json* instances, Json& jobs, Setting& s) {
  if (!instances) return;
  if (s.fleet.gpus != 1 || !jobs.is_array() || s.policy.contains("mig_placement"))
    throw Unsupported("existing_instances of several GPUs");
  s.policy["mig_placement"] = "first_free";
  double first = 1e9;
  for (const Json& job : jobs) first = std::min(first, job.at("submit").get<double>());
  Json all = Json::array();
  int slot = 0;
  const auto add = [&](const std::string& id, const std::string& profile, double end) {
    all.push_back(
        {{"id", id}, {"submit", 0}, {"duration", end}, {"estimate", end}, {"mig", profile}});
    slot += mig_profile(mig_id(profile)).slots;
  };
  for (const Json& instance : *instances) {
    while (slot < instance.at("slot").get<int>()) add("gap" + std::to_string(slot), "1g", first);
    add(instance.at("id").get<std::string>(), instance.at("profile").get<std::string>(),
        instance.at("end").get<double>());
  }
  all.insert(all.end(), jobs.begin(), jobs.end());
  jobs = std::move(all);
}

void read_queues(Members& fleet, Setting& s) {
  const auto own = [&](const Json& value, const char* param, const std::string& name) {
    s.policy[param][name] = value;
  };
  if (const Json* pool = fleet.find("cohort_pool")) s.policy["pool"] = *pool;
  fleet.find("cohort");  // all queues of a case are in one
  const Json* queues = fleet.find("queues");
  if (!queues) return;
  for (const Json& json : *queues) {
    Members queue(json, "queue");
    const std::string name = queue.text("name", queue.text("id"));
    if (const Json* cap = queue.find("hard_cap_gpus")) {
      s.caps[name] = cap->get<std::int64_t>();
      own(*cap, "caps", name);
    }
    for (const char* key : {"nominal", "deserved"})
      if (const Json* gpus = queue.find(key)) own(*gpus, "guarantees", name);
    if (const Json* most = queue.find("lending_limit")) own(*most, "lending", name);
    if (const Json* weight = queue.find("weight")) own(*weight, "weights", name);
    queue.done();
  }
}

/// What was used before the trace begins, decayed to its origin.
void read_history(const Json* history, Setting& s) {
  if (!history) return;
  for (const Json& json : *history) {
    Members use(json, "usage_history");
    const SimTime at{from_seconds(use.find("t") ? json.at("t").get<double>() : 0)};
    DecayedUsage used{json.at("gpu_s").get<double>(), 0, at};
    used.bring_to(kStart, s.half_life);
    use.find("gpu_s");
    const std::string who = use.text("user");
    use.done();
    s.policy["usage"][who] = std::llround(used.gpu_seconds);
    if (!s.history.emplace(who, used).second)
      throw Unsupported("usage_history of " + who + " twice");
  }
}

void read_order(Members& policy, Setting& s, bool queues) {
  std::string order = policy.text("order", "fcfs");
  for (const std::string tail : {",trace", ",trace_order", ",submit"})
    if (order.ends_with(tail)) order.resize(order.size() - tail.size());
  static const std::map<std::string, std::string> kOrders{{"fcfs", "fifo"},
                                                          {"fifo", "fifo"},
                                                          {"submit", "fifo"},
                                                          {"priority", "priority"},
                                                          {"sjf", "sjf"},
                                                          {"shortest", "sjf"},
                                                          {"shortest_estimate", "sjf"},
                                                          {"estimate", "sjf"},
                                                          {"ljf", "ljf"},
                                                          {"longest", "ljf"},
                                                          {"longest_estimate", "ljf"},
                                                          {"lowest_decayed_usage", "fair_share"},
                                                          {"fair_share", "fair_share"}};
  s.policy["order"] = mapped("order", order, kOrders);
  if (order == "fair_share" && queues) s.policy["share_by"] = "queue";
  if (const Json* half_life = policy.find("half_life")) {
    s.policy["half_life"] = *half_life;
    s.half_life = from_seconds(half_life->get<double>());
  }
  policy.only("usage_accrual", {"continuous while running"});
}

void read_backfill(Members& policy, Setting& s) {
  const std::string backfill = policy.text("backfill", policy.text("queueing", "none"));
  if (backfill == "skip" || backfill == "best_effort") {
    s.policy["skip"] = true;
  } else if (backfill != "strict") {
    s.policy["backfill"] =
        mapped("backfill", backfill,
               {{"none", "none"}, {"easy", "easy"}, {"conservative", "conservative"}});
  }
  for (const char* key : {"depth", "backfill_depth"})
    if (const Json* depth = policy.find(key)) s.policy["depth"] = *depth;
  for (const char* key : {"reservations", "backfill_reservations"})
    if (const Json* k = policy.find(key)) s.policy["reservations"] = *k;
  if (const Json* promise = policy.find("promise")) s.policy["promise"] = *promise;
  if (const Json* candidates = policy.find("candidates")) s.policy["candidates"] = *candidates;
}

void read_preemption(Members& policy, Setting& s) {
  std::string victim = policy.text("victim");
  if (const Json* preemption = policy.find("preemption")) {
    if (preemption->is_object()) {
      Members members(*preemption, "preemption");
      s.policy["preemption"] =
          mapped("preemption mode", members.text("mode", "none"),
                 {{"none", "none"}, {"suspend", "suspend"}, {"requeue", "requeue"}});
      victim = members.text("victim", victim);
      members.done();
    } else {
      s.policy["preemption"] = mapped(
          "preemption", policy.text("preemption"),
          {{"none", "none"}, {"false", "none"}, {"suspend", "suspend"}, {"requeue", "requeue"}});
    }
  }
  if (!victim.empty())
    s.policy["victims"] = mapped("victim rule", victim,
                                 {{"latest_start", "youngest"},
                                  {"youngest", "youngest"},
                                  {"least_lost_work", "least_lost"},
                                  {"least_lost", "least_lost"},
                                  {"fewest_gpus", "fewest_gpus"},
                                  {"cheapest", "cheapest"}});
}

void read_placement(Members& policy, Setting& s) {
  policy.only("gang", {"all_or_nothing"});
  policy.only("task_placement", {"a task lives on one node"});
  policy.only("multi_node_jobs", {"must stay in one connected fabric"});
  if (const Json* placement = policy.find("placement"))
    s.policy["placer"] = mapped("placement", placement->get<std::string>(),
                                {{"best_fit_domain", "pack"},
                                 {"pack_rack_then_node", "pack"},
                                 {"pack", "pack"},
                                 {"best_fit", "pack"},
                                 {"least_loaded_rack_then_node", "spread"},
                                 {"spread", "spread"},
                                 {"first_fit", "first"},
                                 {"first", "first"},
                                 {"lowest_id", "first"}});
  if (const Json* rule = policy.find("mig_placement"))
    s.policy["mig_placement"] = mapped("mig_placement", rule->get<std::string>(),
                                       {{"keep the largest later choice", "keep_largest"},
                                        {"keep_largest", "keep_largest"},
                                        {"first_free", "first_free"}});
  if (const Json* time = policy.find("mig_reconfigure_s")) s.policy["mig_reconfigure"] = *time;
}

void read_reclaim(Members& policy, Setting& s) {
  if (const Json* borrowing = policy.find("borrowing")) s.policy["borrowing"] = *borrowing;
  if (const Json* reclaim = policy.find("reclaim");
      reclaim && *reclaim != false && *reclaim != "none") {
    s.policy["reclaim"] = mapped("reclaim", reclaim->get<std::string>(),
                                 {{"from_borrowers_any_priority", "from_borrowers"},
                                  {"from_over_deserved", "from_borrowers"}});
    if (!s.policy.contains("preemption")) s.policy["preemption"] = "requeue";
    if (!s.policy.contains("guarantees")) s.policy["by_weight"] = true;
  }
  if (policy.find("fair_sharing")) {
    policy.only("fair_sharing",
                {"preempt only if, after the move, preemptor share <= victim queue share"});
    s.policy["reclaim"] = "fair_share";
  }
  if (const Json* gangs = policy.find("gang_victims"))
    s.policy["gang_victims"] =
        mapped("gang_victims", gangs->get<std::string>(),
               {{"evict_whole", "whole"}, {"never_below_min", "never_below_min"}});
}

void read_defrag(Members& policy, Setting& s) {
  policy.only("pins_apply_to_first_run_only", {"true"});
  const Json* defrag = policy.find("defrag");
  if (!defrag || *defrag == false) return;
  Members members(*defrag, "defrag");
  members.only("objective", {"fewest moves, then fewest GPUs moved"});
  members.only("checkpoint", {"at_move"});
  members.only("moves", {"one after another into free GPUs, no swap"});
  s.policy["defrag"] = 8;
  if (const Json* cost = members.find("restart_overhead")) s.policy["move_cost"] = *cost;
  members.done();
}

/// Jobs that change their size while they run: a family of its own, whose queues have caps only.
void read_elastic(Members& policy, Setting& s) {
  if (!policy.find("elastic")) return;
  s.family = "elastic";
  for (const char* of_batch : {"order", "backfill", "weights"}) s.policy.erase(of_batch);
  s.policy["sizes"] = mapped("elastic", policy.text("elastic"),
                             {{"reclaim only to reach min; grow from free GPUs only", "edl"},
                              {"user-driven size requests; all of a request or none", "user"}});
}

void read_clock(Members& policy, Setting& s) {
  s.engine.cancel_running = true;
  if (const Json* round = policy.find("round_s"))
    s.engine.scheduling_interval = from_seconds(round->get<double>());
  policy.only("starts_only_at_round_boundaries", {"true"});
  if (const Json* interval = policy.find("scheduling_interval"))
    s.engine.scheduling_interval = from_seconds(interval->get<double>());
  if (const Json* horizon = policy.find("horizon"))
    s.engine.horizon = from_seconds(horizon->get<double>());
  if (const Json* passes = policy.find("passes"))
    s.engine.passes =
        mapped("passes", passes->get<std::string>(), {{"instant", "i"}, {"event", "e"}}) == "e"
            ? Passes::event
            : Passes::instant;
}

void read_estimates(Members& policy, Setting& s) {
  if (const Json* estimate = policy.find("default_estimate")) {
    s.policy["default_estimate"] = *estimate;
    s.default_estimate = from_seconds(estimate->get<double>());
  }
  if (const Json* kill = policy.find("kill_at_limit")) s.policy["kill_at_limit"] = *kill;
  if (const Json* estimates = policy.find("estimates")) s.policy["estimates"] = *estimates;
}

/// Nodes of the jobs at the front of the trace, which start one after another at once.
void read_pins(const Json& jobs, Setting& s) {
  if (!jobs.is_array()) return;
  for (const Json& job : jobs) {
    if (!job.contains("pin")) continue;
    const std::string id = job.at("id").get<std::string>();
    const std::string node = job.at("pin").at(0).get<std::string>();
    if (job.at("pin").size() != 1 || s.job(id) != JobId{static_cast<std::uint32_t>(s.pins.size())})
      throw Unsupported("job key pin, of several nodes or not at the front");
    for (std::uint32_t n = 0; n < s.fleet.nodes.size(); ++n)
      if (s.fleet.node_name(NodeId{n}) == node) s.pins.push_back(n);
  }
}

}  // namespace

JobId Setting::job(const std::string& id) const {
  for (std::uint32_t i = 0; i < trace.workload.size(); ++i)
    if (trace.workload.id_text(JobId{i}) == id) return JobId{i};
  return kNoJob;
}

std::unique_ptr<Policy> make_policy(const std::string& family, const Json& params) {
  std::unique_ptr<Policy> policy;
  read_params(params.dump(),
              [&](ParamVisitor& visit) { policy = policies().at(family).make(visit); },
              {"policy \"" + family + "\"",
               [](std::string_view name) { return "policy: /" + std::string{name}; }});
  return policy;
}

Setting build(const Variant& variant) {
  Setting s;
  s.worker_threads = variant.worker_threads;
  s.policy = Json::object();
  Members fleet(variant.fleet, "fleet");
  s.fleet = build_fleet(fleet);
  read_queues(fleet, s);
  const Json* history = fleet.find("usage_history");
  const Json* instances = fleet.find("existing_instances");
  const bool queues = fleet.find("queues") != nullptr;
  OutagePlan outages = read_outages(fleet, s.fleet);
  fleet.done();

  Members policy(variant.policy, "policy");
  read_order(policy, s, queues);
  read_history(history, s);
  read_backfill(policy, s);
  read_preemption(policy, s);
  read_placement(policy, s);
  read_reclaim(policy, s);
  read_elastic(policy, s);
  read_defrag(policy, s);
  read_clock(policy, s);
  read_estimates(policy, s);
  read_reaction(policy, outages);
  s.engine.outages = std::make_shared<const OutagePlan>(std::move(outages));
  policy.only("work_conserving", {"true"});
  policy.only("origin", {"first submit = 0"});
  policy.only("missing_submit", {"reject"});
  policy.only("cancelled_before_start", {"skip_and_count"});
  const std::string time_zone = policy.text("timezone", policy.text("time_zone"));
  const JobDefaults defaults{policy.text("checkpoint", policy.text("checkpoint_interval")),
                             policy.text("restart_overhead")};
  policy.done();
  Json jobs = variant.jobs;
  read_instances(instances, jobs, s);
  s.trace = read_jobs(jobs, defaults, time_zone, s.rows_are_lines);
  read_pins(variant.jobs, s);
  return s;
}

}  // namespace muster::cases
