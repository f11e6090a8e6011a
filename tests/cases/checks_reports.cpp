#include <algorithm>
#include <bit>
#include <regex>

#include "checks.hpp"

namespace muster::cases {
namespace {

/// The GPUs of each node that are free at `t`.
std::vector<std::uint32_t> free_gpus(const Trial& t, SimTime at) {
  std::vector<std::uint32_t> free;
  for (const Fleet::Node& node : t.setting.fleet.nodes) free.push_back(node.gpus);
  for (const JobOutcome& job : t.outcome.jobs)
    for (const Run& run : job.runs)
      if (run.from <= at && at < run.to)
        for (const Slice& s : run.where)
          for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
            free[n] -= count(s.gpus);
  return free;
}

double gpus_where(const Trial& t, const std::function<bool(const JobOutcome&)>& counted) {
  double sum = 0;
  for (const JobOutcome& job : t.outcome.jobs)
    if (counted(job)) sum += static_cast<double>(job.milli) * 1e-3;
  return sum;
}

bool runs_at(const JobOutcome& job, SimTime at) {
  return std::any_of(job.runs.begin(), job.runs.end(),
                     [&](const Run& r) { return r.from <= at && at < r.to; });
}
bool waits_at(const JobOutcome& job, SimTime at) {
  return job.submit <= at && at < job.end && job.state != JobState::rejected && !runs_at(job, at);
}

/// The slots in use at `at`, by node and GPU, of nodes in MIG mode, and compute slices that are free.
struct MigState {
  std::map<std::pair<std::uint32_t, std::uint32_t>, SlotMask> used;
  double free_compute = 0;
};
MigState mig_state(const Trial& t, SimTime at) {
  MigState state;
  for (std::uint32_t n = 0; n < t.setting.fleet.nodes.size(); ++n)
    for (std::uint32_t g = 0; t.setting.fleet.pools[t.setting.fleet.nodes[NodeId{n}].pool].mig &&
                              g < t.setting.fleet.gpus_of(NodeId{n});
         ++g) {
      state.used[{n, g}] = 0;
      state.free_compute += kMigComputeSlices;
    }
  for (std::uint32_t i = 0; i < t.outcome.jobs.size(); ++i) {
    const MigId id = t.workload().shapes[t.workload().shape[JobId{i}]].mig;
    for (const Run& run : t.outcome.jobs[i].runs) {
      if (id == 0 || at < run.from || run.to <= at) continue;
      const auto first = static_cast<std::uint32_t>(std::countr_zero(run.where.at(0).gpus));
      SlotMask& used = state.used.at({run.where[0].first.value, first / kMigSlots});
      used = static_cast<SlotMask>(used | slots_at(id, first % kMigSlots));
      state.free_compute -= mig_profile(id).compute;
    }
  }
  return state;
}

std::string largest_creatable(const MigState& state) {
  MigId most = 0;
  for (const auto& [gpu, used] : state.used)
    most = std::max(most, MigLayout{}.largest(static_cast<SlotMask>(~used)));
  return most == 0 ? "none" : std::string{mig_profile(most).name};
}

/// Members that describe one instant.
void check_instant(Members& reports, const Json& at_t, const Trial& t) {
  const SimTime at{from_seconds(at_t.get<double>())};
  const auto free = free_gpus(t, at);
  const double held = gpus_where(t, [&](const JobOutcome& j) { return runs_at(j, at); });
  const std::map<std::string, double> values{
      {"allocated_ratio", held / t.setting.fleet.gpus},
      {"allocated_gpus", held},
      {"free_gpus", t.setting.fleet.gpus - held},
      {"largest_single_node_request",
       static_cast<double>(*std::max_element(free.begin(), free.end()))},
      {"pending_gpus", gpus_where(t, [&](const JobOutcome& j) { return waits_at(j, at); })},
      {"rejected_gpus", gpus_where(t,
                                   [&](const JobOutcome& j) {
                                     return j.state == JobState::rejected && j.submit <= at;
                                   })},
      {"pending_jobs",
       static_cast<double>(std::count_if(t.outcome.jobs.begin(), t.outcome.jobs.end(),
                                         [&](const JobOutcome& j) { return waits_at(j, at); }))},
      {"running_jobs",
       static_cast<double>(std::count_if(t.outcome.jobs.begin(), t.outcome.jobs.end(),
                                         [&](const JobOutcome& j) { return runs_at(j, at); }))},
  };
  for (const auto& [key, value] : values)
    if (const Json* want = reports.find(key))
      t.checks.number(key + " at " + at_t.dump(), value, *want);
  const MigState mig = mig_state(t, at);
  if (const Json* want = reports.find("free_compute_slices"))
    t.checks.number("free_compute_slices at " + at_t.dump(), mig.free_compute, *want);
  if (const Json* want = reports.find("largest_profile_creatable"))
    t.checks.equal("largest_profile_creatable at " + at_t.dump(), largest_creatable(mig),
                   want->get<std::string>());
}

void check_shadow(const Json& want, const Trial& t) {
  for (const auto& [id, at] : want.items()) {
    const JobId j = t.setting.job(id);
    const auto first = std::find_if(t.outcome.promises.begin(), t.outcome.promises.end(),
                                    [&](const Outcome::Promised& p) { return p.job == j; });
    const SimTime promised = first == t.outcome.promises.end() ? kNever : first->at;
    t.checks.that(promised == SimTime{from_seconds(at.get<double>())},
                  "shadow time of " + id + ": expected " + at.dump() + ", got " + shown(promised));
  }
}

/// Numbers, and names of nodes and queues: what an explanation must not leave out.
std::vector<std::string> facts_in(const std::string& text, const Trial& t) {
  std::vector<std::string> known, facts;
  for (std::uint32_t n = 0; n < t.setting.fleet.nodes.size(); ++n)
    known.push_back(t.setting.fleet.node_name(NodeId{n}));
  for (std::uint32_t n = 1; n < t.workload().names.size(); ++n)
    known.emplace_back(t.workload().names[NameId{n}]);
  static const std::regex kWord("[A-Za-z0-9_.]+");
  for (std::sregex_iterator it(text.begin(), text.end(), kWord), end; it != end; ++it) {
    const std::string word = it->str();
    if (std::isdigit(static_cast<unsigned char>(word.front())) ||
        std::find(known.begin(), known.end(), word) != known.end())
      facts.push_back(word);
  }
  return facts;
}

void check_reasons(const Json& want, const Trial& t) {
  for (const auto& [id, text] : want.items()) {
    const JobId j = t.setting.job(id);
    const auto facts = facts_in(text.get<std::string>(), t);
    std::string last;
    const bool said = std::any_of(t.outcome.explanations.begin(), t.outcome.explanations.end(),
                                  [&](const Outcome::Explained& e) {
                                    if (e.job != j) return false;
                                    last = e.why.text + "; " + e.why.remedy;
                                    return std::all_of(
                                        facts.begin(), facts.end(),
                                        [&](const std::string& fact) { return names(last, fact); });
                                  });
    t.checks.that(said, "pending reason of " + id + ": expected all facts of \"" +
                            text.get<std::string>() + "\", got \"" + last + "\"");
  }
}

const Load& load_of(const std::string& type, const Trial& t, const std::string& what) {
  const auto& pools = t.outcome.load.pools;
  const auto pool =
      std::find_if(pools.begin(), pools.end(), [&](const Load& l) { return l.gpu_type == type; });
  if (pool == pools.end()) throw Unsupported(what + type);
  return *pool;
}

void check_load(const Json& want, const Trial& t) {
  for (const auto& [type, value] : want.items()) {
    const Load& pool = load_of(type, t, "offered load of ");
    Members load(value, "offered_load");
    if (const Json* window = load.find("window")) {
      t.checks.number("load window begins", seconds(pool.from), window->at(0));
      t.checks.number("load window ends", seconds(pool.to), window->at(1));
    }
    if (const Json* ratio = load.find("ratio"))
      t.checks.number("offered load of " + type, pool.ratio(), *ratio);
    load.done();
  }
}

void check_above(const Json& want, const Trial& t) {
  for (const auto& [type, value] : want.items()) {
    const Load& pool = load_of(type, t, "recorded use of ");
    if (!pool.above) {
      t.checks.that(false, "recorded use of " + type + " is never above its capacity");
      continue;
    }
    Members above(value, "recorded_use_above_capacity");
    if (const Json* v = above.find("from"))
      t.checks.number("above capacity from", seconds(pool.above->from), *v);
    if (const Json* v = above.find("to"))
      t.checks.number("above capacity to", seconds(pool.above->to), *v);
    if (const Json* v = above.find("peak"))
      t.checks.number("peak", static_cast<double>(pool.above->peak_milli) * 1e-3, *v);
    if (const Json* v = above.find("capacity"))
      t.checks.number("capacity", static_cast<double>(pool.capacity_milli) * 1e-3, *v);
    above.done();
  }
}

/// What the order fair_share counts, of the schedule that came out.
double usage(const Trial& t, const std::string& user, SimTime at) {
  const auto before = t.setting.history.find(user);
  DecayedUsage used = before == t.setting.history.end() ? DecayedUsage{} : before->second;
  std::vector<std::pair<SimTime, std::int64_t>> changes;
  for (std::uint32_t i = 0; i < t.outcome.jobs.size(); ++i) {
    if (t.workload().names[t.workload().user[JobId{i}]] != user) continue;
    for (const Run& run : t.outcome.jobs[i].runs) {
      changes.emplace_back(run.from, t.outcome.jobs[i].milli);
      changes.emplace_back(run.to, -t.outcome.jobs[i].milli);
    }
  }
  std::sort(changes.begin(), changes.end());
  for (const auto& [when, milli] : changes) {
    if (when > at) break;
    used.bring_to(when, t.setting.half_life);
    used.milli += milli;
  }
  used.bring_to(at, t.setting.half_life);
  return used.gpu_seconds;
}

void check_usage(const Json& want, const Trial& t) {
  for (const auto& [at, users] : want.items())
    for (const auto& [user, value] : users.items())
      t.checks.number("usage of " + user + " at " + at,
                      usage(t, user, SimTime{from_seconds(std::stod(at))}), value);
}

/// "2 nodes x 4 GPUs in rack B" or "none for 2 whole nodes in one rack".
void check_largest(const std::string& at, const std::string& want, const Trial& t) {
  static const std::regex kSome("([0-9]+) nodes? x ([0-9]+) GPUs? in rack (\\S+)"),
      kNone("none for ([0-9]+) whole nodes? in one rack");
  const auto free = free_gpus(t, SimTime{from_seconds(std::stod(at))});
  const auto& racks = t.setting.fleet.domains[static_cast<std::size_t>(Level::leaf)];
  std::map<std::string, std::uint32_t> idle;
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < racks.size(); ++i) {
    std::uint32_t& here = idle[t.setting.fleet.domain_name(Level::leaf, i)];
    for (std::uint32_t n = racks[i].first; n < racks[i].last; ++n)
      here += free[n] == t.setting.fleet.nodes[NodeId{n}].gpus;
    most = std::max(most, here);
  }
  std::smatch m;
  if (std::regex_match(want, m, kNone)) {
    t.checks.that(most < std::stoul(m[1]),
                  "at " + at + " some rack has " + std::to_string(most) + " whole nodes free");
  } else if (std::regex_match(want, m, kSome)) {
    const std::uint32_t here = idle.count(m[3]) ? idle[m[3]] : 0;
    t.checks.that(here == std::stoul(m[1]) && here == most,
                  "at " + at + " rack " + m[3].str() + " has " + std::to_string(here) +
                      " whole nodes free, the best " + std::to_string(most));
  } else {
    throw Unsupported("report \"" + want + "\"");
  }
}

}  // namespace

void check_reports(const Json& json, const Trial& t) {
  Members reports(json, "expect reports");
  if (const Json* want = reports.find("shadow_time_of")) check_shadow(*want, t);
  if (const Json* want = reports.find("pending_reason")) check_reasons(*want, t);
  if (const Json* want = reports.find("offered_load")) check_load(*want, t);
  if (const Json* want = reports.find("recorded_use_above_capacity")) check_above(*want, t);
  if (const Json* want = reports.find("usage_at")) check_usage(*want, t);
  if (const Json* at = reports.find("at_t")) check_instant(reports, *at, t);
  for (const auto& [key, value] : json.items()) {
    const std::string prefix = "largest_startable_at_";
    if (!key.starts_with(prefix)) continue;
    reports.find(key);
    const Json& want = value.is_object() ? value.at(t.variant.name) : value;
    check_largest(key.substr(prefix.size()), want.get<std::string>(), t);
  }
  reports.done();
}

}  // namespace muster::cases
