// What physics adds to a run, and what a decision takes on a fleet of a million GPUs: CPU seconds of the whole
// command, without books to write but the usual ones.
//
//   build/release/bench/bench_physics
//
// The first table is configs/experiments/oversubscribed.json (25,349 jobs on 2,048 GPUs) by placer: without /cost, with the
// share of their time that jobs communicate, and with contention on top. Where jobs are slowed down a lot they are
// also longer there, and more of them run beside each other. The second has jobs of one to 256 GPUs on 131,072
// nodes: what 100,000 of them take more than 10,000, divided by 90,000.

#include "common.hpp"

namespace {

using namespace muster::bench;

double seconds(std::vector<std::string> command) {
  const auto cost = measured(std::move(command), 600);
  if (!cost) fail("a run takes more than 10 CPU minutes");
  return cost->cpu_s;
}

void physics(const fs::path& muster, const fs::path& out) {
  const std::string experiment = MUSTER_SOURCE_DIR "/configs/experiments/oversubscribed.json";
  std::printf("%-16s %12s %12s %12s %8s\n", "placer", "no /cost", "alone", "contention", "x");
  for (const char* placer : {"first", "pack", "topology_tree", "step_time", "network_aware"}) {
    const auto run = [&](const char* contention, const char* communication) {
      return seconds({muster, "run", experiment, "--policy",
                      std::string{"batch:backfill=easy,placer="} + placer, "--set",
                      std::string{"/cost/contention="} + contention, "--set",
                      std::string{"/cost/communication="} + communication, "--out", out});
    };
    const double none = run("false", "0"), alone = run("false", "0.3"), all = run("true", "0.3");
    std::printf("%-16s %10.2f s %10.2f s %10.2f s %8.1f\n", placer, none, alone, all, all / none);
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
    }
    std::printf("%-26s %12.2f s %12.2f s %13.1f us\n", policy, took[0], took[1],
                (took[1] - took[0]) / 90'000 * 1e6);
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  const fs::path muster = muster_program();
  const Scratch scratch;
  physics(muster, scratch.path / "out");
  million(muster, scratch.path);
}
