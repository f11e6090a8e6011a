// Every preset on a synthetic trace at 85 % and 105 % of 8,192 GPUs: CPU seconds, peak memory, growth with the
// number of jobs, jobs a second. One command, one run:
//
//   ./dev bench presets [JOBS ...] [--policy NAME ...] [--load PERCENT ...] [--limit CPU_SECONDS]
//
// JOBS ascend; 10000 100000 unless given. Growth is the exponent e of t ~ n^e between a number of jobs and the one before
// it; 1 is linear. Jobs a second are those of the last run that came to its end. A row has --limit CPU seconds (120) in all:
// a run that takes more than is left is stopped ("> 87": after 87 seconds), and one that would, is not begun ("~ 870" at
// the growth so far, linear where there is none yet); "-" stands for larger ones. Wrong answers end the bench: lost jobs,
// or books that don't balance, at which muster itself fails.

#include <map>

#include "arguments.hpp"
#include "common.hpp"
#include "muster/io/experiment.hpp"

namespace {

using namespace muster::bench;

struct Wanted {
  std::vector<std::size_t> jobs;
  std::vector<std::string> policies;
  std::vector<double> loads;
  double limit = 120;  // CPU seconds of a row
};

Wanted wanted(int argc, char** argv) {
  Wanted w;
  std::vector<std::string> names;
  for (const muster::PolicyPreset& preset : muster::policy_presets()) names.push_back(preset.name);
  std::vector<double> percent;
  Arguments arguments("bench_presets",
                      "CPU seconds, peak memory and growth of presets on a synthetic trace.");
  CLI::App& app = arguments.app();
  app.add_option("JOBS", w.jobs, "Numbers of jobs, ascending (10000 100000)")
      ->check(CLI::Range(1, 100'000'000))
      ->option_text("JOBS ...");
  app.add_option("--policy", w.policies, "A preset; again for more (all)")
      ->check(CLI::IsMember(names))
      ->option_text("NAME ...")
      ->allow_extra_args(false);
  app.add_option("--load", percent, "Offered load in per cent; again for more (85 105)")
      ->check(CLI::Range(1.0, 1000.0))
      ->option_text("PERCENT ...")
      ->allow_extra_args(false);
  app.add_option("--limit", w.limit, "CPU seconds that a row may take (120)")
      ->check(CLI::PositiveNumber)
      ->option_text("SECONDS");
  arguments.parse(argc, argv);
  if (w.jobs.empty()) w.jobs = {10'000, 100'000};
  if (!std::is_sorted(w.jobs.begin(), w.jobs.end())) fail("numbers of jobs ascend");
  if (percent.empty()) percent = {85, 105};
  for (const double load : percent) w.loads.push_back(load / 100);
  if (w.policies.empty()) w.policies = names;
  return w;
}

/// One preset's runs at one load, each of more jobs than the one before.
class Row {
 public:
  Row(const Wanted& w, const std::string& policy) : wanted_(w), policy_(policy) {
    std::printf("%-20s", policy.c_str());
    std::fflush(stdout);
  }
  /// Runs the policy on so many jobs and prints what that took, or that it took too long.
  void add(const fs::path& muster, const fs::path& trace, const fs::path& out, std::size_t jobs) {
    if (over_) return print('-');
    if (const double seconds = expected(jobs); seconds > left()) {
      over_ = true;
      return print('~', seconds);
    }
    const int limit = std::max(1, static_cast<int>(std::ceil(left())));
    const auto cost = measured({muster, "run", "--trace", trace, "--format", "muster", "--fleet",
                                fleet(), "--policy", policy_, "--out", out},
                               limit);
    if (!cost) {
      over_ = true;
      return print('>', limit);
    }
    if (field(out / "summary.json", "total") != std::to_string(jobs))
      fail("muster lost jobs: " + policy_);
    std::printf("  %9.2f  %8.0f", cost->cpu_s, cost->peak_mib);
    if (!costs_.empty()) {
      growth_ = std::log(cost->cpu_s / costs_.back().cpu_s) / std::log(times_more(jobs));
      std::printf("  %6.2f", growth_);
    } else {
      std::printf("  %6s", "");
    }
    std::fflush(stdout);
    costs_.push_back(*cost);
    jobs_ = jobs;
  }
  void end() const {
    if (!costs_.empty()) std::printf("  %9.0f", static_cast<double>(jobs_) / costs_.back().cpu_s);
    std::printf("\n");
  }

 private:
  double left() const {
    double left = wanted_.limit;
    for (const Cost& cost : costs_) left -= cost.cpu_s;
    return left;
  }
  double times_more(std::size_t jobs) const {
    return static_cast<double>(jobs) / static_cast<double>(jobs_);
  }
  /// CPU seconds, by the runs of this row; nothing is expected of the first.
  double expected(std::size_t jobs) const {
    return costs_.empty() ? 0 : costs_.back().cpu_s * std::pow(times_more(jobs), growth_);
  }
  static void print(char sign, double seconds = 0) {
    if (seconds > 0)
      std::printf("  %c %7.0f  %8s  %6s", sign, seconds, "", "");
    else
      std::printf("  %9c  %8s  %6s", sign, "", "");
    std::fflush(stdout);
  }

  const Wanted& wanted_;
  std::string policy_;
  std::vector<Cost> costs_;
  std::size_t jobs_ = 0;  // of the last run that came to its end
  double growth_ = 1;
  bool over_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const Wanted w = wanted(argc, argv);
  const fs::path muster = muster_program();
  const Scratch scratch;
  for (const double load : w.loads) {
    std::printf(
        "%s at %.0f %% load; CPU seconds of the whole command, at most %.0f for a row\n%-20s",
        fleet().c_str(), load * 100, w.limit, "");
    for (const std::size_t jobs : w.jobs) std::printf("  %20zu jobs", jobs);
    std::printf("\n%-20s", "preset");
    for (std::size_t i = 0; i < w.jobs.size(); ++i)
      std::printf("  %9s  %8s  %6s", "CPU s", "peak MiB", i > 0 ? "growth" : "");
    std::printf("  %9s\n", "jobs/s");
    std::map<std::size_t, fs::path> traces;
    for (const std::size_t jobs : w.jobs) {
      traces[jobs] = scratch.path / (std::to_string(jobs) + ".csv");
      write_trace(traces[jobs], jobs, load, /*people=*/true);
    }
    for (const std::string& policy : w.policies) {
      Row row(w, policy);
      for (const std::size_t jobs : w.jobs)
        row.add(muster, traces[jobs], scratch.path / "out", jobs);
      row.end();
    }
    std::printf("\n");
  }
}
