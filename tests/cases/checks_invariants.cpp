// Sentences of cases that can be checked by machine. Others are left to people.

#include <algorithm>
#include <functional>
#include <regex>

#include "checks.hpp"

namespace muster::cases {
namespace {

using Match = std::smatch;
struct Pattern {
  std::regex regex;
  std::function<bool(const Match&, const Trial&)> holds;
};

SimTime time_of(const Match& m, std::size_t i) { return SimTime{from_seconds(std::stod(m[i]))}; }

bool is_job(const Match& m, std::size_t i, const Trial& t) { return t.setting.job(m[i]) != kNoJob; }

/// What it holds at `at`; nullptr if it does not run then.
const std::vector<Slice>* where_at(const JobOutcome& job, SimTime at) {
  for (const Run& run : job.runs) {
    if (at < run.from || at >= run.to) continue;
    const std::vector<Slice>* where = &run.where;
    for (const Reshaped& r : run.reshapes)
      if (r.at <= at) where = &r.where;
    return where;
  }
  return nullptr;
}

double gpus_at(const JobOutcome& job, SimTime at) {
  const auto* where = where_at(job, at);
  return where ? gpus_in(*where) : 0;
}

/// All times at which somebody gets GPUs or gives some back.
std::vector<SimTime> instants(const Trial& t) {
  std::vector<SimTime> all;
  for (const JobOutcome& job : t.outcome.jobs)
    for (const Run& run : job.runs) {
      all.insert(all.end(), {run.from, run.to});
      for (const Reshaped& r : run.reshapes) all.push_back(r.at);
    }
  return all;
}

/// The largest sum of GPUs (or nodes) held at one instant by jobs that count.
double peak(const Trial& t, const std::function<bool(JobId)>& counted, bool nodes) {
  double most = 0;
  for (const SimTime at : instants(t)) {
    double sum = 0;
    for (std::uint32_t i = 0; i < t.outcome.jobs.size(); ++i) {
      const auto* where = where_at(t.outcome.jobs[i], at);
      if (!where || !counted(JobId{i})) continue;
      const std::uint32_t milli = t.outcome.demands[t.workload().shape[JobId{i}]].milli;
      for (const Slice& s : *where) sum += nodes ? s.count : s.count * count(s.gpus) * milli * 1e-3;
    }
    most = std::max(most, sum);
  }
  return most;
}

double peak_of_queue(const Trial& t, const std::string& queue) {
  return peak(
      t, [&](JobId j) { return t.workload().names[t.workload().queue[j]] == queue; }, false);
}

SimTime first_start(const Trial& t, const std::string& id) {
  const auto& runs = t.job(id).runs;
  return runs.empty() ? kNever : runs.front().from;
}
SimTime last_start(const Trial& t, const std::string& id) {
  const auto& runs = t.job(id).runs;
  return runs.empty() ? kNever : runs.back().from;
}

bool holds_nothing(const Trial& t, const std::string& id, SimTime from, SimTime to) {
  const auto& runs = t.job(id).runs;
  return std::none_of(runs.begin(), runs.end(),
                      [&](const Run& r) { return r.from < to && from < r.to; });
}

bool over(const Trial& t) {
  return !t.outcome.summary.stopped_early &&
         std::none_of(t.outcome.jobs.begin(), t.outcome.jobs.end(), [](const JobOutcome& j) {
           return j.state == JobState::pending || j.state == JobState::held ||
                  j.state == JobState::running;
         });
}

bool reason_names(const Trial& t, const std::string& id, const std::string& facts) {
  static const std::regex kNumber("[0-9]+");
  const JobId j = t.setting.job(id);
  return std::any_of(t.outcome.explanations.begin(), t.outcome.explanations.end(),
                     [&](const Outcome::Explained& e) {
                       if (e.job != j) return false;
                       for (std::sregex_iterator it(facts.begin(), facts.end(), kNumber), end;
                            it != end; ++it)
                         if (!names(e.why.text, it->str())) return false;
                       return true;
                     });
}

bool is_permutation_of_four(const Trial& t) {
  return std::all_of(t.outcome.jobs.begin(), t.outcome.jobs.end(), [](const JobOutcome& j) {
    return std::all_of(j.runs.begin(), j.runs.end(), [](const Run& r) {
      std::uint32_t nodes = 0;
      for (const Slice& s : r.where) nodes += s.count;
      return nodes == 4;
    });
  });
}

const std::vector<Pattern>& patterns() {
  const std::string number = "([0-9.]+)", job = "(\\w+)";
  const auto regex = [](const std::string& text) { return std::regex(text); };
  static const std::vector<Pattern> all{
      {regex(job + " never starts later than " + number),
       [](const Match& m, const Trial& t) { return first_start(t, m[1]) <= time_of(m, 2); }},
      {regex(job + " starts at " + number),
       [](const Match& m, const Trial& t) { return first_start(t, m[1]) == time_of(m, 2); }},
      {regex(job + " does not start before " + number),
       [](const Match& m, const Trial& t) { return first_start(t, m[1]) >= time_of(m, 2); }},
      {regex(job + " does not start before " + job + " resumes"),
       [](const Match& m, const Trial& t) { return first_start(t, m[1]) >= last_start(t, m[2]); }},
      {regex(job + " resumes exactly when " + job + " ends"),
       [](const Match& m, const Trial& t) { return last_start(t, m[1]) == t.job(m[2]).end; }},
      {regex(job + " never holds a GPU"),
       [](const Match& m, const Trial& t) { return t.job(m[1]).runs.empty(); }},
      {regex(job + " holds 0 nodes during \\[" + number + "," + number + "\\)"),
       [](const Match& m, const Trial& t) {
         return holds_nothing(t, m[1], time_of(m, 2), time_of(m, 3));
       }},
      {regex(job + " is not rejected.*"),
       [](const Match& m, const Trial& t) { return t.job(m[1]).state != JobState::rejected; }},
      {regex("queue " + job + " never uses more than " + number + " GPUs"),
       [](const Match& m, const Trial& t) { return peak_of_queue(t, m[1]) <= std::stod(m[2]); }},
      {regex("queue " + job + " <= " + number + " GPUs at every instant"),
       [](const Match& m, const Trial& t) { return peak_of_queue(t, m[1]) <= std::stod(m[2]); }},
      {regex("usage of " + job + " <= " + number + " at every instant"),
       [](const Match& m, const Trial& t) { return peak_of_queue(t, m[1]) <= std::stod(m[2]); }},
      {regex("nodes in use <= " + number + " at every instant"),
       [](const Match& m, const Trial& t) {
         return peak(
                    t, [](JobId) { return true; }, true) <= std::stod(m[1]);
       }},
      {regex("allocated ratio <= 1.0 at every instant"),
       [](const Match&, const Trial& t) {
         return peak(
                    t, [](JobId) { return true; }, false) <= t.setting.fleet.gpus;
       }},
      {regex("at every instant the number of nodes held by A and by B is 0 or 4"),
       [](const Match&, const Trial& t) { return is_permutation_of_four(t); }},
      {regex("pending reason of " + job + " names what is missing: (.*)"),
       [](const Match& m, const Trial& t) { return reason_names(t, m[1], m[2]); }},
      {regex("the run ends.*"), [](const Match&, const Trial& t) { return over(t); }},
      {regex("at the end nothing is pending and the run stops at " + number),
       [](const Match& m, const Trial& t) { return over(t) && t.end() == time_of(m, 1); }},
      {regex("a scheduling pass runs at t=" + number),
       [](const Match& m, const Trial& t) {
         return std::count(t.outcome.passes.begin(), t.outcome.passes.end(), time_of(m, 1)) > 0;
       }},
      {regex(job + " has >= " + number + " GPUs at every instant of \\[" + number + "," + number +
             "\\)"),
       [](const Match& m, const Trial& t) {
         const SimTime from = time_of(m, 3), to = time_of(m, 4);
         std::vector<SimTime> moments = instants(t);
         moments.push_back(from);
         return std::all_of(moments.begin(), moments.end(), [&](SimTime at) {
           return at < from || at >= to || gpus_at(t.job(m[1]), at) >= std::stod(m[2]);
         });
       }},
      {regex("jobs that are not moved end at " + number),  // of those that were there first
       [](const Match& m, const Trial& t) {
         for (std::size_t i = 0; i < t.setting.pins.size(); ++i) {
           const JobOutcome& pinned = t.outcome.jobs[i];
           if (pinned.runs.at(0).reshapes.empty() && pinned.end != time_of(m, 1)) return false;
         }
         return true;
       }},
      {regex("no simulated wait is negative"),
       [](const Match&, const Trial& t) {
         return std::all_of(t.outcome.jobs.begin(), t.outcome.jobs.end(), [](const JobOutcome& j) {
           return j.runs.empty() || j.runs.front().from >= j.submit;
         });
       }},
      {regex("each job is preempted at most once"),
       [](const Match&, const Trial& t) {
         std::map<JobId, int> times;
         for (const auto& p : t.outcome.preemptions) ++times[p.victim];
         return std::all_of(times.begin(), times.end(),
                            [](const auto& n) { return n.second <= 1; });
       }},
      {regex("([0-9]+) repeats give byte-identical event logs"),
       [](const Match& m, const Trial& t) {
         for (int i = 0; i < std::stoi(m[1]); ++i)
           if (run(t.setting).summary.fingerprint != t.outcome.summary.fingerprint) return false;
         return true;
       }},
  };
  return all;
}

/// "the planned start of H never moves later after t=2", "L's planned start at t=35 is >= 36".
bool check_plan(const std::string& text, const Trial& t) {
  static const std::regex kKept("the planned start of (\\w+) never moves later after t=([0-9.]+)");
  static const std::regex kAt("(\\w+)'s planned start at t=([0-9.]+) is >= ([0-9.]+).*");
  static const std::regex kMoves(
      "(\\w+)'s planned start moves from ([0-9.]+) \\(t=([0-9.]+)\\) to ([0-9.]+) "
      "\\(t=([0-9.]+)\\).*");
  Match m;
  const auto planned = [&](const std::string& id, SimTime by) {
    SimTime at = kNever;
    for (const Outcome::Promised& p : t.outcome.promises)
      if (p.job == t.setting.job(id) && p.said <= by) at = p.at;
    return at;
  };
  if (std::regex_match(text, m, kKept) && is_job(m, 1, t)) {
    SimTime last = kNever;
    bool kept = true;
    for (const Outcome::Promised& p : t.outcome.promises)
      if (p.job == t.setting.job(m[1]) && p.said >= time_of(m, 2)) {
        kept &= p.at <= last;
        last = p.at;
      }
    t.checks.that(kept && first_start(t, m[1]) <= last, text);
  } else if (std::regex_match(text, m, kAt) && is_job(m, 1, t)) {
    t.checks.that(planned(m[1], time_of(m, 2)) >= time_of(m, 3),
                  text + ": it is " + shown(planned(m[1], time_of(m, 2))));
  } else if (std::regex_match(text, m, kMoves) && is_job(m, 1, t)) {
    t.checks.that(planned(m[1], time_of(m, 3)) == time_of(m, 2),
                  text + ": at first it is " + shown(planned(m[1], time_of(m, 3))));
    t.checks.that(planned(m[1], time_of(m, 5)) == time_of(m, 4),
                  text + ": then it is " + shown(planned(m[1], time_of(m, 5))));
  } else {
    return false;
  }
  return true;
}

}  // namespace

void check_invariants(const Json& sentences, const Trial& t) {
  for (const Json& sentence : sentences) {
    const std::string text = sentence.get<std::string>();
    if (check_plan(text, t)) continue;
    for (const Pattern& p : patterns()) {
      Match m;
      if (!std::regex_match(text, m, p.regex)) continue;
      try {
        t.checks.that(p.holds(m, t), "does not hold: " + text);
      } catch (const Unsupported&) {
        // Its subject is no job of the case: a sentence for people.
      }
      break;
    }
  }
}

}  // namespace muster::cases
