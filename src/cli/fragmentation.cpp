// muster fragmentation: what the free GPUs of a run were good for, and what its jobs sent over leaves and pods, at a
// moment or over time.

#include <spdlog/fmt/fmt.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/engine/fragmentation.hpp"
#include "muster/io/text/number.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::string run, at, every;
};

Duration span_of(const std::string& flag, const std::string& text, Duration least) {
  const std::optional<Duration> since = parse_time_span(text);
  if (!since || *since < least || *since > kLongest)
    throw InputError(flag, "expected a length of time, got \"" + text + "\"",
                     "a number of seconds, or text such as 2h or 90s");
  return *since;
}

std::string type_of(const Fragmentation::Pool& pool) {
  return (pool.type.empty() ? "any" : pool.type) + (pool.instances.empty() ? "" : " in MIG mode");
}

void print_traffic(const std::optional<Traffic>& sends) {
  if (!sends)
    return print(
        "\nnothing is known of what jobs send: /cost says for what part of their time they do\n");
  if (sends->nodes <= 0) return print("\njobs that run send nothing out of their nodes\n");
  print(fmt::format(
      "\njobs that run send {:.1f} GB/s out of nodes, of which {:.1f} % over leaves, {:.1f} % over "
      "pods\n",
      sends->nodes / 1e9, 100 * sends->leaves / sends->nodes, 100 * sends->pods / sends->nodes));
}

void print_table(const FragmentationAt& now) {
  print(fmt::format("at {}: {} run and {} wait\n\n", at_text(now.at),
                    count_text(now.running, "job"), count_text(now.waiting, "job")));
  print(fmt::format("{:14} {:>6} {:>9} {:>10}", "type", "GPUs", "free", "fragmented"));
  for (std::size_t l = 0; l < kLevels; ++l)
    print(fmt::format(" {:>7}", name(static_cast<Level>(l))));
  print("\n");
  for (const Fragmentation::Pool& pool : now.free.pools) {
    print(fmt::format("{:14} {:>6} {:>9}", type_of(pool), pool.installed,
                      to_decimal(pool.free_milli, 3)));
    if (pool.instances.empty()) {
      print(fmt::format(" {:>10.1f}", pool.fragmented_milli / 1000));
      for (const std::uint32_t gpus : pool.largest) print(fmt::format(" {:>7}", gpus));
    } else {
      print("  instances that could be made:");
      for (std::size_t i = 0; i < pool.instances.size(); ++i)
        print(fmt::format("{} {} {}", i == 0 ? "" : ",", pool.instances[i], kMigProfiles[i].name));
    }
    print("\n");
  }
  print_traffic(now.sends);
  print(
      "\nfragmented: free GPUs that a task can't use, on average over the tasks asked for so far\n"
      "node ... fleet: GPUs of the largest job that could start inside one domain of that level\n");
}

void print_csv(const std::vector<FragmentationAt>& moments) {
  std::string text = "at_s,gpu_type,gpus,free_gpus,fragmented_gpus";
  for (std::size_t l = 0; l < kLevels; ++l)
    text += fmt::format(",largest_{}", name(static_cast<Level>(l)));
  for (const MigProfile& profile : kMigProfiles) text += fmt::format(",mig_{}", profile.name);
  print(text + ",node_bytes_per_s,leaf_bytes_per_s,pod_bytes_per_s\n");
  for (const FragmentationAt& now : moments)
    for (const Fragmentation::Pool& pool : now.free.pools) {
      text = fmt::format("{},{},{},{},{:.3f}", to_decimal(now.at.time_since_epoch().count(), 9),
                         pool.type, pool.installed, to_decimal(pool.free_milli, 3),
                         pool.fragmented_milli / 1000);
      const bool mig = !pool.instances.empty();
      for (const std::uint32_t gpus : pool.largest) text += mig ? "," : fmt::format(",{}", gpus);
      for (std::size_t i = 0; i < kMigProfiles.size(); ++i)
        text += mig ? fmt::format(",{}", pool.instances[i]) : ",";
      for (const double Traffic::*bytes : {&Traffic::nodes, &Traffic::leaves, &Traffic::pods})
        text += now.sends ? fmt::format(",{:.0f}", (*now.sends).*bytes) : ",";
      print(text + "\n");
    }
}

int run(const Flags& flags) {
  const bool own_trace = !flags.experiment.trace.empty();
  const ExperimentSpec spec =
      flags.run.empty() ? flags.experiment.spec()
                        : flags.experiment.spec(ExperimentSpec::of_run(flags.run, own_trace));
  if (flags.at.empty() && flags.every.empty())
    throw InputError("muster fragmentation", "no moment is given",
                     "--at 2h for one, --every 6h for a CSV over the whole run");
  const SimTime from = kStart + (flags.at.empty() ? Duration{} : span_of("--at", flags.at, {}));
  const Duration every =
      flags.every.empty() ? Duration{} : span_of("--every", flags.every, Duration{1});
  const Experiment experiment = spec.load();
  const std::vector<FragmentationAt> found = fragmentation_over_time(
      experiment.fleet, experiment.trace.workload, *experiment.policy.policy, experiment.engine,
      from, every, experiment.seed);
  if (found.empty())
    throw InputError(flags.at.empty() ? "--every" : "--at",
                     "nothing happens any more at or after " + at_text(from));
  if (every > Duration{})
    print_csv(found);
  else
    print_table(found.front());
  return kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("--run", flags->run, "The folder of a run's results: that run, done again")
      ->option_text("DIR");
  app.add_option("--at", flags->at, "The moment, since the trace origin: 5400, 90s, 2h")
      ->option_text("TIME");
  app.add_option("--every", flags->every, "A CSV over time instead, from --at on")
      ->option_text("TIME");
  flags->experiment.add_trace(app);
  flags->experiment.add_fleet(app);
  flags->experiment.add_policy(app);
  flags->experiment.add_set(app);
  return [flags] { return run(*flags); };
}

const AddCommand added{
    25,
    {"fragmentation", "Say what a run's free GPUs were good for: the largest job by level and type",
     "  muster fragmentation --run out/first --at 2h\n"
     "  muster fragmentation --run out/first --every 6h > free.csv",
     add}};

}  // namespace
}  // namespace muster::cli
