// muster check: everything that can be said without a run.

#include <spdlog/fmt/fmt.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_text.hpp"
#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/io/preflight.hpp"
#include "muster/metrics/quota_notes.hpp"
#include "muster/metrics/text.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  bool json = false, schema = false;
};

std::string above_text(const Load& load, bool recorded) {
  if (!load.above) return {};
  const Load::Above& above = *load.above;
  std::string text = fmt::format(
      fmt::runtime(recorded
                       ? "  recorded use above capacity: {} of {} GPUs from {} to {}"
                       : "  if nobody ever waited, {} of {} GPUs would be in use from {} to {}"),
      gpus_text(above.peak_milli), gpus_text(load.capacity_milli), at_text(above.from),
      at_text(above.to));
  if (above.windows > 1)
    text += fmt::format(" (the highest of {} such windows, {} in all)", above.windows,
                        length_text(above.in_all));
  return text + "\n";
}

void print_fleet(const Preflight& found) {
  const Loads& loads = found.loads;
  print(fmt::format("fleet {}: {} GPUs\n", found.fleet, gpus_text(loads.fleet.capacity_milli)));
  const auto tell = [&](const Load& load) {
    print((load.ratio() > 1 ? "  warning: offered_load_above_1: " : "  ") + load_text(load) + "\n" +
          above_text(load, loads.recorded));
  };
  tell(loads.pools.size() == 1 ? loads.pools.front() : loads.fleet);
  if (loads.pools.size() > 1) {
    for (const Load& pool : loads.pools)
      if (pool.jobs > 0) tell(pool);
    if (loads.flexible > 0)
      print(fmt::format("  {} jobs may take more than one GPU type\n", loads.flexible));
  }
  for (const std::string& warning : found.warnings) print("  warning: " + warning + "\n");
  if (!found.widest.empty())
    print(fmt::format("  the widest job, {}, asks for {}: {}\n", found.widest, found.widest_asks,
                      loads.widest_fits ? "fits" : "can never start on this fleet"));
  if (loads.impossible > 0) {
    std::string first;
    for (const std::string& job : found.impossible) first += (first.empty() ? "" : ", ") + job;
    print(fmt::format("  {} can never start on this fleet and will be rejected: {}{}\n",
                      count_text(loads.impossible, "job"), first,
                      loads.impossible > found.impossible.size() ? ", ..." : ""));
  }
}

/// What is read only where a fleet, a trace and a policy are there.
void warn_of_unread(const ExperimentSpec& spec) {
  if (spec.has("/fleet") && spec.has("/workload") && spec.has("/policy")) return;
  for (const char* part : {"/failures", "/maintenance", "/reservations", "/stragglers", "/links"})
    if (spec.has(part))
      std::fputs(fmt::format("muster: warning: {} was not checked: that takes a fleet, a trace and "
                             "a policy\n",
                             part)
                     .c_str(),
                 stderr);
}

/// The parts that no other part depends on are checked too, as far as they are given.
int run(const Flags& flags) {
  if (flags.schema) {
    print(experiment_schema() + "\n");
    return kDone;
  }
  const ExperimentSpec spec = flags.experiment.spec();
  Cutting cutting;
  QuotaOptions quotas;
  if (spec.has("/policy")) {
    const LoadedPolicy policy = spec.policy();
    cutting = policy.policy->cutting();
    quotas = quotas_of(policy);
  }
  spec.check();
  if (!spec.has("/workload")) {
    if (!spec.has("/fleet") && !spec.has("/policy"))
      throw InputError("muster check", "nothing is given that could be checked",
                       "--trace, --fleet, --policy, or an experiment's file");
    if (spec.has("/fleet")) static_cast<void>(spec.fleet());
    warn_of_unread(spec);
    print("in order\n");
    return kDone;
  }
  std::optional<Fleet> fleet;
  if (spec.has("/fleet")) fleet = spec.fleet();
  Trace trace = spec.workload();
  Preflight found =
      preflight(trace.workload, fleet ? &*fleet : nullptr, std::move(trace.report), cutting);
  if (fleet) found.warnings = quota_warnings(quotas, trace.workload, *fleet);
  // Failures, links and the rest as `run` reads them; last, since it changes the jobs.
  if (fleet && spec.has("/policy")) static_cast<void>(spec.load(*fleet, std::move(trace)));
  warn_of_unread(spec);
  if (flags.json) {
    print(preflight_json(found) + "\n");
    return kDone;
  }
  print(rows_line(found.report) + notes_text(found.report));
  if (fleet) print_fleet(found);
  return kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  flags->experiment.add_all(app);
  app.add_flag("--json", flags->json, "Print what was found as JSON");
  app.add_flag("--schema", flags->schema,
               "Print the JSON Schema of an experiment, and do nothing else");
  return [flags] { return run(*flags); };
}

const AddCommand added{
    30,
    {"check", "Check the inputs of a run, and account for every row of the trace",
     "  muster check configs/experiments/first.json\n"
     "  muster check --trace traces/first/first.csv --fleet 16x8\n"
     "  muster check --trace log.swf --skip-bad-rows --json",
     add}};

}  // namespace
}  // namespace muster::cli
