// What physics adds to a run, and what a decision takes on a fleet of a million GPUs: CPU seconds of the whole
// command, without books to write but the usual ones, the least of five.
//
//   ./dev bench physics
//
// The first table is configs/experiments/oversubscribed.json (25,349 jobs on 2,048 GPUs) by placer: without
// /cost; as full: without it too, but each job as long as contention made it; and with contention. Where a network
// slows jobs down a lot, the fleet is full of jobs that wait for it, a queue of days is behind them, and each pass has more to do:
// that is no work of the physics, so `x` is against `as full`. Placers that ask /cost have nothing to ask there and
// go by counts: of them it has their questions in it.
//
// The second has jobs of one to 256 GPUs on 131,072 nodes: what 100,000 of them take more than 10,000, divided
// by 90,000. The answers are checked.

#include <limits>
#include <sstream>

#include "arguments.hpp"
#include "common.hpp"

namespace {

using namespace muster::bench;

constexpr int kTimes = 5;

struct Least {
  double s = std::numeric_limits<double>::infinity();
  void add(double seconds) { s = std::min(s, seconds); }
};

double seconds(const std::vector<std::string>& command) {
  const auto cost = measured(command, 600);
  if (!cost) fail("a run takes more than 10 CPU minutes");
  return cost->cpu_s;
}

void check_completed(const fs::path& out, std::size_t jobs) {
  if (field(out / "summary.json", "completed") != std::to_string(jobs))
    fail("not all jobs have completed");
}

double gpu_seconds(const fs::path& out, const char* what) {
  return std::stod(field(out / "summary.json", what));
}

/// The jobs of a run as a trace, as long as they ran.
void write_as_it_ran(const fs::path& jobs_csv, const fs::path& trace) {
  enum Column { gpus = 3, submit = 4, start = 5, end = 6 };
  std::ifstream in(jobs_csv);
  std::ofstream out(trace);
  out << "submit,nodes,gpus_per_node,duration\n";
  std::string line, field;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> fields;
    for (std::istringstream row(line); std::getline(row, field, ',');) fields.push_back(field);
    const int nodes = std::max(1, std::stoi(fields[gpus]) / kPerNode);
    out << fields[submit] << ',' << nodes << ',' << std::stoi(fields[gpus]) / nodes << ','
        << std::llround(std::stod(fields[end]) - std::stod(fields[start])) << '\n';
  }
}

void physics(const fs::path& muster, const fs::path& scratch) {
  constexpr std::size_t kJobs = 25'349;
  const std::string experiment = MUSTER_SOURCE_DIR "/configs/experiments/oversubscribed.json";
  const fs::path out = scratch / "out", trace = scratch / "as_it_ran.csv",
                 given = scratch / "given.csv";
  const std::vector<std::string> without{"--set", "/cost/contention=false", "--set",
                                         "/cost/communication=0"};
  const auto of = [](const fs::path& file) -> std::vector<std::string> {
    return {"--set", "/workload={\"trace\": \"" + file.string() + "\", \"format\": \"muster\"}"};
  };
  seconds(
      {muster, "run", experiment, "--out", out, without[0], without[1], without[2], without[3]});
  write_as_it_ran(out / "jobs.csv", given);  // so that all of them read a file
  std::printf("%-16s %12s %12s %12s %8s\n", "placer", "no /cost", "as full", "contention", "x");
  for (const char* placer : {"first", "pack", "topology_tree", "step_time", "network_aware"}) {
    const auto run = [&](const std::vector<std::string>& more,
                         const std::vector<std::string>& and_more) {
      std::vector<std::string> command{muster, "run", experiment, "--out", out, "--policy"};
      command.push_back(std::string{"batch:backfill=easy,placer="} + placer);
      command.insert(command.end(), more.begin(), more.end());
      command.insert(command.end(), and_more.begin(), and_more.end());
      const double took = seconds(command);
      check_completed(out, kJobs);
      return took;
    };
    Least none, full, with;
    for (int i = 0; i < kTimes; ++i) {
      with.add(run({}, of(given)));
      const double held = gpu_seconds(out, "run.compute") + gpu_seconds(out, "run.comm");
      if (gpu_seconds(out, "run.comm") < 0.1 * held) fail("nobody communicates");
      write_as_it_ran(out / "jobs.csv", trace);
      full.add(run(without, of(trace)));
      if (std::abs(gpu_seconds(out, "run.compute") / held - 1) > 1e-3)
        fail("the same jobs hold another time");
      none.add(run(without, of(given)));
    }
    std::printf("%-16s %10.2f s %10.2f s %10.2f s %8.1f\n", placer, none.s, full.s, with.s,
                with.s / full.s);
    std::fflush(stdout);
  }
}

void million(const fs::path& muster, const fs::path& scratch) {
  std::printf("\n1,048,576 GPUs: %10s %14s %14s %16s\n", "", "10,000 jobs", "100,000 jobs",
              "a decision more");
  for (const char* policy : {"fifo", "easy", "batch:placer=topology_tree"}) {
    std::vector<double> took;
    for (const std::size_t jobs : {10'000, 100'000}) {
      const fs::path trace = scratch / (std::to_string(jobs) + ".csv");
      if (!fs::exists(trace)) write_trace(trace, jobs, 0.9);
      took.push_back(
          seconds({muster, "run", "--trace", trace, "--format", "muster", "--fleet",
                   "131072x8:h100/32/64", "--policy", policy, "--out", scratch / "out"}));
      check_completed(scratch / "out", jobs);
    }
    std::printf("%-26s %12.2f s %12.2f s %13.1f us\n", policy, took[0], took[1],
                (took[1] - took[0]) / 90'000 * 1e6);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments(
      "bench_physics",
      "What contention adds to a run, by placer, and what a decision takes on a million GPUs.")
      .parse(argc, argv);
  const fs::path muster = muster_program();
  const Scratch scratch;
  physics(muster, scratch.path);
  million(muster, scratch.path);
}
