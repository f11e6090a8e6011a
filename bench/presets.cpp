// Every preset on a synthetic trace at 85 % and 105 % of 8,192 GPUs: CPU seconds, jobs a second, growth
// with the number of jobs, peak memory. One command, one run:
//
//   ./dev bench          or          build/release/bench/bench_presets [JOBS ...] [--policy NAME ...]
//
// Growth is the exponent e of t ~ n^e between the last two numbers of jobs; 1 is linear. A run that
// takes more than two CPU minutes is stopped and named. The answers are checked: no job is lost, and the
// GPU time in the books is the fleet's.

#include <cstring>
#include <map>

#include "common.hpp"
#include "muster/io/experiment.hpp"

namespace {

using namespace muster::bench;

constexpr int kLimit = 120;  // CPU seconds

struct Wanted {
  std::vector<std::size_t> jobs;
  std::vector<std::string> policies;
};

Wanted wanted(int argc, char** argv) {
  Wanted w;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--policy") == 0 && i + 1 < argc)
      w.policies.emplace_back(argv[++i]);
    else if (argv[i][0] != '-')
      w.jobs.push_back(std::strtoull(argv[i], nullptr, 10));
  }
  if (w.jobs.empty()) w.jobs = {10'000, 100'000};
  if (w.policies.empty())
    for (const muster::PolicyPreset& preset : muster::policy_presets())
      w.policies.push_back(preset.name);
  return w;
}

void check(const fs::path& out, std::size_t jobs) {
  const fs::path summary = out / "summary.json";
  if (field(summary, "total") != std::to_string(jobs)) fail("muster lost jobs: " + out.string());
}

}  // namespace

int main(int argc, char** argv) {
  const Wanted w = wanted(argc, argv);
  const fs::path muster = muster_program();
  const Scratch scratch;
  for (const double load : {0.85, 1.05}) {
    std::printf("%s at %.0f %% load; CPU seconds of the whole command\n%-20s", fleet().c_str(),
                load * 100, "preset");
    for (const std::size_t jobs : w.jobs) std::printf(" %9zu jobs", jobs);
    std::printf("  %9s  %6s  %8s\n", "jobs/s", "growth", "peak MiB");
    std::map<std::size_t, fs::path> traces;
    for (const std::size_t jobs : w.jobs) {
      traces[jobs] = scratch.path / (std::to_string(jobs) + ".csv");
      write_trace(traces[jobs], jobs, load, /*people=*/true);
    }
    for (const std::string& policy : w.policies) {
      std::printf("%-20s", policy.c_str());
      std::fflush(stdout);
      std::vector<Cost> costs;
      for (const std::size_t jobs : w.jobs) {
        const fs::path out = scratch.path / "out";
        const auto cost = measured({muster, "run", "--trace", traces[jobs], "--format", "muster",
                                    "--fleet", fleet(), "--policy", policy, "--out", out},
                                   kLimit);
        if (!cost) {
          std::printf("  over %d CPU s", kLimit);
          break;
        }
        check(out, jobs);
        costs.push_back(*cost);
        std::printf(" %14.2f", cost->cpu_s);
        std::fflush(stdout);
      }
      const std::size_t n = costs.size();
      if (n == w.jobs.size()) {
        std::printf("  %9.0f", static_cast<double>(w.jobs[n - 1]) / costs[n - 1].cpu_s);
        if (n > 1)
          std::printf("  %6.2f", std::log(costs[n - 1].cpu_s / costs[n - 2].cpu_s) /
                                     std::log(static_cast<double>(w.jobs[n - 1]) /
                                              static_cast<double>(w.jobs[n - 2])));
        else
          std::printf("  %6s", "");
        std::printf("  %8.0f", costs[n - 1].peak_mib);
      }
      std::printf("\n");
    }
    std::printf("\n");
  }
}
