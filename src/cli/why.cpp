// muster why: what kept one job waiting, and what it would have taken.

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/engine/why.hpp"
#include "muster/io/text/number.hpp"
#include "muster/metrics/text.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::string job, run, at;
  bool all = false, cost = false;
};

JobId find_job(const Workload& workload, const std::string& id) {
  const auto size = static_cast<std::uint32_t>(workload.size());
  for (std::uint32_t i = 0; i < size; ++i)
    if (workload.id_text(JobId{i}) == id) return JobId{i};
  constexpr std::uint32_t kCompared = 100'000;  // for "did you mean"; more would take seconds
  std::vector<std::string> ids;
  for (std::uint32_t i = 0; i < size && i < kCompared; ++i)
    ids.emplace_back(workload.id_text(JobId{i}));
  const std::string meant = nearest(id, ids);
  throw InputError("muster why", "the trace has no job \"" + id + "\"",
                   meant.empty() ? "" : "did you mean \"" + meant + "\"?");
}

std::optional<SimTime> moment(const std::string& text) {
  if (text.empty()) return {};
  const std::optional<Duration> since = parse_time_span(text);
  if (!since || *since < Duration{} || *since > kLongest)
    throw InputError("--at", "expected a time since the trace origin, got \"" + text + "\"",
                     "a number of seconds, or text such as 2h or 90s");
  return kStart + *since;
}

std::string lower(std::string_view state) {
  std::string text{state};
  for (char& c : text) c = c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  return text;
}

/// "capacity 3.2 h in 40, order 20 s in 39" of some of the stretches.
std::string sums_text(std::span<const WhyEntry> stretches) {
  std::map<Cause, std::pair<Duration, std::size_t>> sums;
  for (const WhyEntry& entry : stretches) {
    if (entry.runs) continue;
    sums[entry.cause].first += entry.to - entry.from;
    ++sums[entry.cause].second;
  }
  std::string text;
  for (const auto& [cause, sum] : sums)
    text += fmt::format("{}{} {} in {}", text.empty() ? "" : ", ", name(cause),
                        length_text(sum.first), sum.second);
  return text;
}

std::string_view title(const WhyEntry& entry) { return entry.runs ? "runs" : name(entry.cause); }

/// The stretches of a job's life; of very many the first and the last, unless all are wanted.
void print_timeline(const std::vector<WhyEntry>& timeline, bool all) {
  constexpr std::size_t kMost = 20, kEnds = 6;
  const std::size_t hidden = all || timeline.size() <= kMost ? 0 : timeline.size() - 2 * kEnds;
  std::size_t widest = 0;
  for (const WhyEntry& entry : timeline) widest = std::max(widest, title(entry).size());
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (hidden > 0 && i == kEnds) {
      const auto rest = std::span{timeline}.subspan(kEnds, hidden);
      print(fmt::format("  ... {} more stretches from {} to {} (--all shows them): {}\n", hidden,
                        at_text(rest.front().from), at_text(rest.back().to), sums_text(rest)));
      i += hidden;
    }
    const WhyEntry& entry = timeline[i];
    print(fmt::format("  from {} to {}  {:{}}  {}\n", at_text(entry.from),
                      entry.to == kNever ? "the end" : at_text(entry.to), title(entry), widest,
                      entry.text));
  }
}

void print_history(const std::string& job, const WhyReport& why, bool all) {
  std::string how;
  if (!why.withdrawn.empty())
    how = ", " + why.withdrawn;
  else if (why.start == kNever && why.state != JobState::pending)
    how = ", " + lower(name(why.state));
  print(fmt::format("job {}: submitted at {}, {}{}\n", job, at_text(why.submit),
                    why.start == kNever ? "never started" : "started at " + at_text(why.start),
                    how));
  if (why.rejection)
    print(fmt::format("  rejected ({}): {}\n", why.rejection->code, why.rejection->text));
  const bool waited = std::any_of(why.timeline.begin(), why.timeline.end(),
                                  [](const WhyEntry& entry) { return !entry.runs; });
  if (!waited && !why.rejection) print("  it never waited\n");
  print_timeline(why.timeline, all);
}

/// What it did at a moment at which it did not wait, and which moments can be asked for.
std::string instead_text(const WhyReport& why) {
  constexpr std::string_view kAsk = "--at takes a time at which it waited, see above";
  if (why.asked < why.submit)
    return fmt::format("was not submitted yet, which it was at {}", at_text(why.submit));
  if (why.timeline.empty() || why.asked >= why.timeline.back().to)
    return fmt::format("was over ({}); {}", lower(name(why.state)), kAsk);
  return fmt::format("ran; {}", kAsk);
}

/// `asked`: for this very moment.
void print_moment(const WhyReport& why, bool asked) {
  if (!why.waiting) {
    if (asked) print(fmt::format("\nat {} it {}\n", at_text(why.asked), instead_text(why)));
    return;
  }
  print(fmt::format("\nat {} it waited for: {} ({})\n  {}\n", at_text(why.asked),
                    name(why.at.cause), meaning(why.at.cause), why.at.text));
  if (!why.at.remedy.empty())
    print(fmt::format("  what would have to change: {}\n", why.at.remedy));
  if (why.at.promised != kNever)
    print(fmt::format("  it was promised to start by {}\n", at_text(why.at.promised)));
}

/// "n3 n4 n5 ... (16 nodes)": the first few of where it was.
std::string nodes_text(const Fleet& fleet, const std::vector<Slice>& where) {
  constexpr std::uint32_t kMost = 8;
  std::uint32_t count = 0;
  std::string text;
  for (const Slice& slice : where)
    for (std::uint32_t i = 0; i < slice.count; ++i, ++count)
      if (count < kMost) text += " " + fleet.node_name(NodeId{slice.first.value + i});
  return text.substr(1) + (count > kMost ? fmt::format(" ... ({} nodes)", count) : "");
}

void print_cost(const std::string& job, const Experiment& experiment, const CostReport& cost) {
  if (!cost.ran) {
    print(fmt::format("job {} did not run then\n", job));
    return;
  }
  print(fmt::format("job {}, at {}, on {}\n", job, at_text(cost.at),
                    nodes_text(experiment.fleet, cost.where)));
  if (cost.terms.empty()) {
    print(
        experiment.engine.cost.of_use()
            ? "  a unit of its work takes 1: it is on no network, and no step of it is known "
              "(/cost/steps)\n"
            : "  a unit of its work takes 1, as the trace says: this run does not say what places "
              "cost (/cost)\n");
    return;
  }
  double sum = 0;
  for (const Contention::Term& term : cost.terms) sum += term.units;
  print(fmt::format("  a unit of its work takes {:.4f}\n", sum));
  for (const Contention::Term& term : cost.terms)
    print(fmt::format("  {:>8.4f}  {:14}  {}\n", term.units, term.name, term.because));
}

int run(const Flags& flags) {
  if (flags.job.empty())
    throw InputError("muster why", "no job is given", "for example muster why 17 --run out/first");
  const bool own_trace = !flags.experiment.trace.empty();
  if (flags.run.empty() && flags.experiment.trace.empty() && flags.experiment.fleet.empty() &&
      flags.experiment.policy.empty() && flags.experiment.set.empty()) {
    std::error_code ignored;
    if (std::filesystem::is_directory(flags.job, ignored))
      throw InputError("muster why", "no job is given: " + flags.job + " is a folder",
                       "for example muster why 17 --run " + flags.job);
    throw InputError(
        "muster why", "no run is given",
        "muster why " + flags.job +
            " --run DIR, where DIR is what `muster run ... --out DIR` wrote; or --trace, "
            "--fleet and --policy, to run one for it");
  }
  const ExperimentSpec spec =
      flags.run.empty() ? flags.experiment.spec()
                        : flags.experiment.spec(ExperimentSpec::of_run(flags.run, own_trace));
  const std::optional<SimTime> at = moment(flags.at);
  const Experiment experiment = spec.load();
  const Workload& workload = experiment.trace.workload;
  const JobId job = find_job(workload, flags.job);

  ProgressLine line;
  const auto show = [&](const Progress& progress) {
    line.show(progress);
    return true;
  };
  if (flags.cost) {
    const CostReport cost = why_cost(experiment.fleet, workload, *experiment.policy.policy,
                                     experiment.engine, job, at, experiment.seed, show);
    line.clear();
    print_cost(flags.job, experiment, cost);
    return kDone;
  }
  const WhyReport report = why(experiment.fleet, workload, *experiment.policy.policy,
                               experiment.engine, job, at, experiment.seed, show);
  line.clear();
  print_history(flags.job, report, flags.all);
  print_moment(report, at.has_value());
  return kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("job", flags->job, "The job's id in the trace")->option_text("JOB");
  app.add_option("--run", flags->run, "The folder of a run's results: that run, done again")
      ->option_text("DIR");
  app.add_option("--at", flags->at,
                 "The moment to explain, since the trace origin: 5400, 90s, 2h "
                 "(default: the last time it waited)")
      ->option_text("TIME");
  app.add_flag("--all", flags->all, "Show every stretch of a long wait");
  app.add_flag("--cost", flags->cost,
               "Say what a unit of its work takes where it runs instead, as a sum "
               "(default moment: its start)");
  flags->experiment.add_trace(app);
  flags->experiment.add_fleet(app);
  flags->experiment.add_policy(app);
  flags->experiment.add_set(app);
  return [flags] { return run(*flags); };
}

const AddCommand added{20,
                       {"why", "Say why a job waited, with numbers, and what would have to change",
                        "  muster why 17 --run out/first\n"
                        "  muster why 17 --run out/first --at 2h\n"
                        "  muster why 17 --run out/first --cost\n"
                        "  muster why 17 --trace traces/first/first.csv --fleet 16x8 --policy easy",
                        add}};

}  // namespace
}  // namespace muster::cli
