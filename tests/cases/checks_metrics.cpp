#include <algorithm>
#include <functional>
#include <regex>
#include <set>

#include "checks.hpp"

namespace muster::cases {
namespace {

double nodes_of(const Run& run) {
  double nodes = 0;
  for (const Slice& s : run.where) nodes += s.count;
  return nodes;
}

/// Sums over all runs of `part(run)` seconds, in GPU-seconds.
template <class Part>
double gpu_s(const Trial& t, Part part) {
  double sum = 0;
  for (const JobOutcome& job : t.outcome.jobs)
    for (const Run& run : job.runs) sum += part(job, run) * static_cast<double>(job.milli) * 1e-3;
  return sum;
}

template <class Part>
double node_s(const Trial& t, Part part) {
  double sum = 0;
  for (const JobOutcome& job : t.outcome.jobs)
    for (const Run& run : job.runs) sum += part(job, run) * nodes_of(run);
  return sum;
}

double held(const Trial& t, const Run& run) { return overlap_s(run, t.from(), t.end()); }
double useful(const JobOutcome& job, const Run& run) {
  return job.state == JobState::completed ? seconds(run.kept) : 0;
}
double lost(const JobOutcome&, const Run& run) { return seconds(run.lost); }
double overhead(const JobOutcome&, const Run& run) { return seconds(run.overhead); }

double lost_gpu_s(const Trial& t) {
  double earlier = 0;
  for (const JobOutcome& job : t.outcome.jobs)
    earlier += seconds(job.lost_earlier) * static_cast<double>(job.milli) * 1e-3;
  return gpu_s(t, lost) + earlier;
}

double available(const Trial& t, SimTime from, SimTime to) {
  return t.setting.fleet.gpus * seconds(to - from);
}
double allocated(const Trial& t, SimTime from, SimTime to) {
  double sum = 0;
  for (const JobOutcome& job : t.outcome.jobs) sum += held_gpu_s(job, from, to);
  return sum;
}

bool finished(const JobOutcome& job) {
  return !job.runs.empty() && job.end != kNever && job.state != JobState::cancelled_pending;
}

/// A value of each job that has one.
std::vector<double> each(const Trial& t,
                         const std::function<std::optional<double>(const JobOutcome&)>& value) {
  std::vector<double> all;
  for (const JobOutcome& job : t.outcome.jobs)
    if (const auto v = value(job)) all.push_back(*v);
  return all;
}

std::vector<double> waits(const Trial& t) {
  return each(t, [](const JobOutcome& job) -> std::optional<double> {
    if (job.runs.empty()) return {};
    return seconds(job.runs.front().from - job.submit);
  });
}
std::vector<double> turnarounds(const Trial& t) {
  return each(t, [](const JobOutcome& job) -> std::optional<double> {
    if (!finished(job)) return {};
    return seconds(job.end - job.submit);
  });
}
std::vector<double> slowdowns(const Trial& t) {
  return each(t, [](const JobOutcome& job) -> std::optional<double> {
    if (!finished(job)) return {};
    double ran = 0;
    for (const Run& run : job.runs) ran += seconds(run.to - run.from);
    return std::max(1.0, seconds(job.end - job.submit) / std::max(ran, 10.0));
  });
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}
double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

double in_state(const Trial& t, JobState state) {
  return static_cast<double>(
      std::count_if(t.outcome.jobs.begin(), t.outcome.jobs.end(),
                    [&](const JobOutcome& job) { return job.state == state; }));
}

using Measure = std::function<double(const Trial&)>;
const std::map<std::string, Measure>& measures() {
  const auto count = [](JobState state) {
    return [state](const Trial& t) { return in_state(t, state); };
  };
  const Measure utilisation = [](const Trial& t) {
    return allocated(t, t.from(), t.end()) / available(t, t.from(), t.end());
  };
  const Measure wasted = lost_gpu_s;
  const Measure preemptions = [](const Trial& t) {
    return static_cast<double>(t.outcome.preemptions.size());
  };
  const auto reshapes = [](std::uint64_t Reshapes::*what) {
    return [what](const Trial& t) { return static_cast<double>(t.outcome.report.reshapes.*what); };
  };
  static const std::map<std::string, Measure> all{
      {"utilization", utilisation},
      {"utilisation", utilisation},
      {"goodput",
       [](const Trial& t) { return gpu_s(t, useful) / available(t, t.from(), t.end()); }},
      {"allocated_gpu_s", [](const Trial& t) { return allocated(t, t.from(), t.end()); }},
      {"available_gpu_s", [](const Trial& t) { return available(t, t.from(), t.end()); }},
      {"useful_gpu_s", [](const Trial& t) { return gpu_s(t, useful); }},
      {"lost_gpu_s", wasted},
      {"overhead_gpu_s", [](const Trial& t) { return gpu_s(t, overhead); }},
      {"allocated_node_s",
       [](const Trial& t) {
         return node_s(t, [&](const JobOutcome&, const Run& run) { return held(t, run); });
       }},
      {"useful_node_s", [](const Trial& t) { return node_s(t, useful); }},
      {"lost_node_s", [](const Trial& t) { return node_s(t, lost); }},
      {"overhead_node_s", [](const Trial& t) { return node_s(t, overhead); }},
      {"preemption_count", preemptions},
      {"requeues",
       [](const Trial& t) {
         double sum = 0;
         for (const JobOutcome& job : t.outcome.jobs)
           sum += job.runs.empty() ? 0 : static_cast<double>(job.runs.size() - 1);
         return sum;
       }},
      {"spares_left",
       [](const Trial& t) {
         return static_cast<double>(
             std::count_if(t.outcome.service.begin(), t.outcome.service.end(),
                           [](const auto& s) { return s.second == Service::spare; }));
       }},
      {"resizes", reshapes(&Reshapes::resizes)},
      {"moves", reshapes(&Reshapes::moves)},
      {"gpus_moved", reshapes(&Reshapes::gpus_moved)},
      {"reclaims",
       [](const Trial& t) {
         double sum = 0;
         for (const JobOutcome& job : t.outcome.jobs)
           for (const Run& run : job.runs)
             for (const Reshaped& r : run.reshapes) sum += r.by != kNoJob;
         return sum;
       }},
      {"jobs_in_wait_statistics",
       [](const Trial& t) { return static_cast<double>(waits(t).size()); }},
      {"mean_wait", [](const Trial& t) { return mean(waits(t)); }},
      {"max_wait", [](const Trial& t) { return largest(waits(t)); }},
      {"mean_jct", [](const Trial& t) { return mean(turnarounds(t)); }},
      {"max_jct", [](const Trial& t) { return largest(turnarounds(t)); }},
      {"mean_bounded_slowdown", [](const Trial& t) { return mean(slowdowns(t)); }},
      {"makespan", [](const Trial& t) { return seconds(t.end() - t.from()); }},
      {"passes", [](const Trial& t) { return static_cast<double>(t.outcome.summary.passes); }},
      {"broken_promises",
       [](const Trial& t) { return static_cast<double>(t.outcome.summary.broken_promises); }},
      {"completed", count(JobState::completed)},
      {"failed", count(JobState::failed)},
      {"timeout", count(JobState::timeout)},
      {"timeouts", count(JobState::timeout)},
      {"cancelled", count(JobState::cancelled)},
      {"cancelled_pending", count(JobState::cancelled_pending)},
      {"rejected", count(JobState::rejected)},
  };
  return all;
}

using JobMeasure = std::function<double(const JobOutcome&, const Trial&)>;
const std::map<std::string, JobMeasure>& job_measures() {
  static const JobMeasure wait = [](const JobOutcome& job, const Trial&) {
    if (job.runs.empty()) throw Unsupported("wait of a job that never started");
    return seconds(job.runs.front().from - job.submit);
  };
  static const JobMeasure turnaround = [](const JobOutcome& job, const Trial&) {
    return seconds(job.end - job.submit);
  };
  static const std::map<std::string, JobMeasure> all{
      {"wait", wait},
      {"waits", wait},
      {"jct", turnaround},
      {"turnaround", turnaround},
      {"gpu_s",
       [](const JobOutcome& job, const Trial& t) { return held_gpu_s(job, t.from(), t.end()); }},
      {"bounded_slowdown",
       [](const JobOutcome& job, const Trial&) {
         double ran = 0;
         for (const Run& run : job.runs) ran += seconds(run.to - run.from);
         return std::max(1.0, seconds(job.end - job.submit) / std::max(ran, 10.0));
       }},
      {"preemptions_of",
       [](const JobOutcome& job, const Trial&) {
         return static_cast<double>(job.runs.empty() ? 0 : job.runs.size() - 1);
       }},
  };
  return all;
}

void check_window(const Json& window, const Trial& t) {
  t.checks.number("window begins", seconds(t.from()), window.at(0));
  t.checks.number("window ends", seconds(t.end()), window.at(1));
}

void check_one(const std::string& key, const Json& want, const Trial& t) {
  static const std::regex kPart("utili[sz]ation_([0-9.]+)_([0-9.]+)");
  std::smatch part;
  if (key == "window") {
    check_window(want, t);
  } else if (const auto m = measures().find(key); m != measures().end() && want.is_number()) {
    t.checks.number(key, m->second(t), want);
  } else if (const auto j = job_measures().find(key);
             j != job_measures().end() && want.is_object()) {
    for (const auto& [id, value] : want.items())
      t.checks.number(key + " of " + id, j->second(t.job(id), t), value);
  } else if (std::regex_match(key, part, kPart)) {
    const SimTime from{from_seconds(std::stod(part[1]))}, to{from_seconds(std::stod(part[2]))};
    t.checks.number(key, allocated(t, from, to) / available(t, from, to), want);
  } else {
    throw Unsupported("expect key metrics." + key);
  }
}

}  // namespace

void check_metrics(const Json& metrics, const Trial& t) {
  for (const auto& [key, want] : metrics.items()) check_one(key, want, t);
}

}  // namespace muster::cases
