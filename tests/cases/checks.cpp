#include "checks.hpp"

#include <algorithm>
#include <cctype>
#include <functional>

namespace muster::cases {
namespace {

/// The part of a value that is about this variant, if it tells variants apart.
Json of_variant(const Json& value, const Trial& t) {
  return !t.variant.name.empty() && value.is_object() && value.contains(t.variant.name)
             ? value[t.variant.name]
             : value;
}

std::string text_of(const std::vector<Run>& runs) {
  Json list = Json::array();
  for (const Run& run : runs) list.push_back({shown(run.from), shown(run.to)});
  return list.dump();
}

void check_runs(const Json& runs, const Trial& t) {
  for (const auto& [id, want] : runs.items()) {
    const JobOutcome& job = t.job(id);
    bool same = want.size() == job.runs.size();
    for (std::size_t i = 0; same && i < want.size(); ++i) {
      same = SimTime{from_seconds(want[i][0].get<double>())} == job.runs[i].from;
      if (want[i][1].is_null())
        same = same && job.runs[i].to == kNever;
      else
        same = same && SimTime{from_seconds(want[i][1].get<double>())} == job.runs[i].to;
    }
    t.checks.that(same,
                  "runs of " + id + ": expected " + want.dump() + ", got " + text_of(job.runs));
  }
}

void check_starts(const Json& starts, const Trial& t) {
  for (const auto& [id, want] : starts.items()) {
    const Json list = want.is_array() ? want : Json::array({want});
    const auto& runs = t.job(id).runs;
    bool same = list.size() == runs.size();
    for (std::size_t i = 0; same && i < runs.size(); ++i)
      same = SimTime{from_seconds(list[i].get<double>())} == runs[i].from;
    t.checks.that(same, "starts of " + id + ": expected " + want.dump() + ", got " + text_of(runs));
  }
}

void check_ends(const Json& ends, const Trial& t) {
  for (const auto& [id, want] : ends.items())
    t.checks.that(SimTime{from_seconds(want.get<double>())} == t.job(id).end,
                  "end of " + id + ": expected " + want.dump() + ", got " + shown(t.job(id).end));
}

/// How many GPUs each job has, from when on.
void check_sizes(const Json& sizes, const Trial& t) {
  for (const auto& [id, want] : sizes.items()) {
    Json got = Json::array();
    for (const Run& run : t.job(id).runs) {
      got.push_back({seconds(run.from), gpus_in(run.where)});
      for (const Reshaped& r : run.reshapes) got.push_back({seconds(r.at), gpus_in(r.where)});
    }
    bool same = got.size() == want.size();
    for (std::size_t i = 0; same && i < got.size(); ++i)
      same = got[i][0].get<double>() == want[i][0].get<double>() && got[i][1] == want[i][1];
    t.checks.that(same, "sizes of " + id + ": expected " + want.dump() + ", got " + got.dump());
  }
}

/// Which jobs were moved where, in any order: "a2->n1".
void check_moves(const Json& sets, const Trial& t) {
  std::vector<std::string> got;
  for (std::uint32_t i = 0; i < t.outcome.jobs.size(); ++i)
    for (const Run& run : t.outcome.jobs[i].runs)
      for (const Reshaped& r : run.reshapes)
        got.push_back(std::string{t.workload().id_text(JobId{i})} + "->" +
                      t.setting.fleet.node_name(r.where.at(0).first));
  std::sort(got.begin(), got.end());
  t.checks.that(std::any_of(sets.begin(), sets.end(),
                            [&](const Json& set) {
                              auto want = set.get<std::vector<std::string>>();
                              std::sort(want.begin(), want.end());
                              return want == got;
                            }),
                "moves: expected one of " + sets.dump() + ", got " + Json(got).dump());
}

void check_states(const Json& states, const Trial& t) {
  for (const auto& [id, want] : states.items())
    t.checks.equal("state of " + id, std::string{name(t.job(id).state)}, want.get<std::string>());
}

/// Stretches of the first run of each job: what it pays, then what it works and keeps of it.
void check_segments(const Json& segments, const Trial& t) {
  for (const auto& [id, want] : segments.items()) {
    const Run& run = t.job(id).runs.at(0);
    Json got = Json::array();
    const auto stretch = [&](SimTime from, SimTime to, Duration overhead, Duration kept) {
      const SimTime works = from + overhead;
      if (works > from)
        got.push_back(
            {{"from", seconds(from)}, {"to", seconds(works)}, {"kind", "restart_overhead"}});
      if (to > works)
        got.push_back({{"from", seconds(works)},
                       {"to", seconds(to)},
                       {"kind", "work"},
                       {"kept", seconds(kept)}});
    };
    SimTime from = run.from;
    Duration overhead = run.overhead, kept = run.kept;
    for (const Reshaped& r : run.reshapes) {
      stretch(from, r.at, r.overhead, r.kept);
      from = r.at;
      overhead -= r.overhead;
      kept -= r.kept;
    }
    stretch(from, run.to, overhead, kept);
    bool same = got.size() == want.size();
    for (std::size_t i = 0; same && i < got.size(); ++i)
      for (const auto& [key, value] : want[i].items())
        same = same && got[i].contains(key) &&
               (value.is_number() ? got[i][key].get<double>() == value.get<double>()
                                  : got[i][key] == value);
    t.checks.that(same, "segments of " + id + ": expected " + want.dump() + ", got " + got.dump());
  }
}

void check_reservations(const Json& want, const Trial& t) {
  for (const auto& [id, state] : want.items()) {
    std::string got = "never asked for";
    for (const ReservationOutcome& r : t.outcome.summary.reservations)
      if (r.id == id) got = r.confirmed ? "CONFIRMED" : "DENIED";
    t.checks.equal("reservation " + id, got, state.get<std::string>());
  }
}

void check_preemptions(const Json& list, const Trial& t) {
  using One = std::tuple<std::int64_t, std::string, std::string>;
  std::vector<One> want, got;
  bool by = true;
  for (const Json& json : list) {
    Members one(json, "preemption");
    by = by && json.contains("by");
    want.emplace_back(from_seconds(one.find("t")->get<double>()).count(), one.text("victim"),
                      one.text("by"));
    one.done();
  }
  for (const Outcome::Preempted& p : t.outcome.preemptions)
    got.emplace_back(p.at.time_since_epoch().count(), t.workload().id_text(p.victim),
                     by && p.by != kNoJob ? t.workload().id_text(p.by) : "");
  std::sort(want.begin(), want.end());
  std::sort(got.begin(), got.end());
  std::string text;
  for (const auto& [at, victim, who] : got)
    text += " " + shown(static_cast<double>(at) * 1e-9) + ":" + victim + "<-" + who;
  t.checks.that(want == got,
                "preemptions: expected " + list.dump() + ", got" + (text.empty() ? " none" : text));
}

/// What would have come of the same jobs under another rule for MIG instances.
void check_contrast(const Json& contrast, const Trial& t) {
  for (const auto& [rule, want] : contrast.items()) {
    Variant other = t.variant;
    other.policy["mig_placement"] = rule;
    const Setting setting = build(other);
    const Outcome outcome = run(setting);
    const Trial trial{other, setting, outcome, t.checks};
    Members members(want, "contrast");
    members.find("note");
    if (const Json* runs = members.find("runs")) check_runs(*runs, trial);
    members.done();
  }
}

using Section = std::function<void(const Json&, const Trial&)>;
const std::map<std::string, Section>& sections() {
  static const std::map<std::string, Section> all{
      {"runs", check_runs},
      {"starts", check_starts},
      {"ends", check_ends},
      {"sizes", check_sizes},
      {"states", check_states},
      {"states_at_horizon", check_states},
      {"preemptions", check_preemptions},
      {"segments", check_segments},
      {"reservations", check_reservations},
      {"metrics", check_metrics},
      {"reports", check_reports},
      {"errors", check_errors},
      {"warnings", check_warnings},
      {"parse", check_parse},
      {"placements", check_placements},
      {"contrast", check_contrast},
      {"invariants", check_invariants},
      {"checks",
       [](const Json& checks, const Trial& t) {
         Members members(checks, "checks");
         if (const Json* jobs = members.find("end_minus_start_equals_elapsed"))
           for (const Json& id : *jobs) {
             const JobId j = t.setting.job(id.get<std::string>());
             if (j == kNoJob) throw Unsupported("checks of a job that is not replayed");
             const auto& truth = t.workload().truth;
             t.checks.that(Workload::at_or(truth.recorded_end, j, kNever) -
                                   Workload::at_or(truth.recorded_start, j, kNever) ==
                               truth.duration[j],
                           "end - start of " + id.get<std::string>() + " is not what it ran");
           }
         members.done();
       }},
      {"one_of", check_moves},
      {"ends_of_moved_jobs",
       [](const Json& want, const Trial& t) {
         for (const JobOutcome& job : t.outcome.jobs)
           if (std::any_of(job.runs.begin(), job.runs.end(),
                           [](const Run& run) { return !run.reshapes.empty(); }))
             t.checks.that(job.end == SimTime{from_seconds(want.get<double>())},
                           "a moved job ends at " + shown(job.end) + ", not at " + want.dump());
       }},
  };
  return all;
}

}  // namespace

void Checks::number(const std::string& what, double got, const Json& want) {
  if (!want.is_number()) throw Unsupported(what + " is no number");
  const std::string text = want.dump();
  const std::size_t point = text.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : text.size() - point - 1;
  const double about = digits < 2 ? 1e-9 : 0.5000001 * std::pow(10.0, -static_cast<double>(digits));
  that(std::abs(got - want.get<double>()) <= about,
       what + ": expected " + text + ", got " + shown(got));
}

const JobOutcome& Trial::job(const std::string& id) const {
  const JobId j = setting.job(id);
  if (j == kNoJob) throw Unsupported("expectation of " + id + ", which is not replayed");
  return outcome.jobs[j.value];
}

std::string shown(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.10g", seconds);
  return text;
}

bool names(const std::string& text, const std::string& word) {
  const auto part_of_word = [&](std::size_t i, char edge) {
    if (i >= text.size()) return false;
    const auto c = static_cast<unsigned char>(text[i]);
    return std::isalnum(static_cast<unsigned char>(edge)) && std::isalnum(c);
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !part_of_word(at - 1, word.front())) &&
        !part_of_word(at + word.size(), word.back()))
      return true;
  return false;
}

double overlap_s(const Run& run, SimTime from, SimTime to) {
  const SimTime begin = std::max(run.from, from), end = std::min(run.to, to);
  return end > begin ? seconds(end - begin) : 0;
}

double held_gpu_s(const JobOutcome& job, SimTime from, SimTime to) {
  double sum = 0;
  for (const Run& run : job.runs)
    sum += overlap_s(run, from, to) * static_cast<double>(job.milli) * 1e-3;
  return sum;
}

void check(const Json& expect, const Trial& t) {
  for (const auto& [key, value] : expect.items()) {
    if (key == "variants" || key == "same_as" || key == "byte_identical" || key == "note") continue;
    const auto section = sections().find(key);
    if (section == sections().end()) throw Unsupported("expect key " + key);
    section->second(of_variant(value, t), t);
  }
}

}  // namespace muster::cases
