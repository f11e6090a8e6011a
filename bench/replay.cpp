// Replays a synthetic trace of 10^4, 10^5 and 10^6 jobs with muster and with the floor (bench/floor.cpp)
// and prints the time on the clock and the CPU seconds, their ratios and their growth. muster keeps its books
// on a second thread, so its CPU seconds are more than its time. One command, one machine, one run:
//
//   ./dev bench replay [JOBS ...]
//
// The answers are checked: the order of starts under FIFO, the floor's mean wait, the ledger's total
// and one fingerprint over repetitions. CEA-Curie follows where MUSTER_TRACES has it.
#include <iostream>
#include <sstream>
#include <thread>

#include "arguments.hpp"
#include "common.hpp"

namespace {

using namespace muster::bench;

constexpr double kLoad = 0.95;
constexpr int kRepetitions = 3;

struct Answer {
  double mean_wait = 0;
  bool in_order = true;
  std::size_t jobs = 0;
};

/// Mean wait, and whether starts never run back, from columns of a CSV with or without a header.
Answer read_answer(const fs::path& trace, const fs::path& result, std::size_t start_column,
                   bool header) {
  std::ifstream submits(trace);
  std::ifstream starts(result);
  std::string line;
  std::string cell;
  std::getline(submits, line);
  if (header) std::getline(starts, line);
  Answer a;
  double last = 0;
  double sum = 0;
  while (std::getline(starts, line)) {
    std::istringstream cells(line);
    for (std::size_t c = 0; c <= start_column; ++c) std::getline(cells, cell, ',');
    const double start = std::stod(cell);
    std::string row;
    std::getline(submits, row);
    sum += start - std::stod(row);
    a.in_order &= start >= last;
    last = start;
    ++a.jobs;
  }
  a.mean_wait = sum / static_cast<double>(a.jobs);
  return a;
}

Cost best_of(const std::vector<std::string>& command) {
  Cost best{1e300, 1e300, 0};
  for (int i = 0; i < kRepetitions; ++i) {
    const Cost cost = *measured(command);
    best = {std::min(best.cpu_s, cost.cpu_s), std::min(best.elapsed_s, cost.elapsed_s),
            std::max(best.peak_mib, cost.peak_mib)};
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  Arguments arguments(
      "bench_replay",
      "Time and CPU seconds of whole replays, beside those of the floor (bench/floor.cpp).");
  arguments.app()
      .add_option("JOBS", sizes, "Numbers of jobs (10000 100000 1000000)")
      ->check(CLI::Range(1, 100'000'000))
      ->option_text("JOBS ...");
  arguments.parse(argc, argv);
  if (sizes.empty()) sizes = {10'000, 100'000, 1'000'000};
  const fs::path muster = muster_program();
  const fs::path floor = fs::read_symlink("/proc/self/exe").parent_path() / "bench_floor";
  const Scratch scratch;
  const fs::path& work = scratch.path;

  std::printf(
      "%d GPUs at %.0f %% load; the whole command, best of %d, on %u processors\n\n"
      "%9s  %-6s  %-24s  %-24s\n"
      "%9s  %-6s  %8s %8s %6s  %8s %8s %6s %8s %9s  %s\n",
      kNodes * kPerNode, kLoad * 100, kRepetitions, std::thread::hardware_concurrency(), "", "",
      "seconds on the clock", "CPU seconds", "jobs", "policy", "floor", "muster", "ratio", "floor",
      "muster", "ratio", "us/job", "peak MiB", "answer");
  for (const std::size_t jobs : sizes) {
    const fs::path trace = work / "trace.csv";
    write_trace(trace, jobs, kLoad);
    const Cost base = best_of({floor, trace, std::to_string(kNodes), std::to_string(kPerNode),
                               (work / "floor.csv").string()});
    const Answer truth = read_answer(trace, work / "floor.csv", 1, false);
    for (const std::string policy : {"fifo", "easy"}) {
      const fs::path out = work / policy;
      const std::vector<std::string> command{
          muster,
          "run",
          "--trace",
          trace,
          "--format",
          "muster",
          "--fleet",
          fleet(),
          "--policy",
          std::string("batch:placer=pack,estimates=perfect,backfill=") +
              (policy == "fifo" ? "none" : "easy"),
          "--out",
          out};
      const Cost ours = best_of(command);
      const std::string fingerprint = field(out / "summary.json", "fingerprint");
      const Answer answer = read_answer(trace, out / "jobs.csv", 5, true);
      if (answer.jobs != jobs) fail("muster lost jobs");
      if (policy == "fifo") {
        // Among nodes with equally many free GPUs the floor takes another one than muster, so waits
        // agree closely, not to the digit.
        if (!answer.in_order) fail("FIFO starts run back");
        if (std::abs(answer.mean_wait - truth.mean_wait) > 0.02 * truth.mean_wait + 1)
          fail("FIFO's mean wait is not the floor's");
      } else if (answer.mean_wait > truth.mean_wait) {
        fail("EASY waits longer than FIFO");
      }
      measured(command);
      if (field(out / "summary.json", "fingerprint") != fingerprint)
        fail("two runs, two fingerprints");
      std::printf(
          "%9zu  %-6s  %8.3f %8.3f %5.2fx  %8.3f %8.3f %5.2fx %8.3f %9.0f  %s, mean wait %.0f s "
          "(floor %.0f s)\n",
          jobs, policy.c_str(), base.elapsed_s, ours.elapsed_s, ours.elapsed_s / base.elapsed_s,
          base.cpu_s, ours.cpu_s, ours.cpu_s / base.cpu_s,
          ours.elapsed_s / static_cast<double>(jobs) * 1e6, ours.peak_mib, fingerprint.c_str(),
          answer.mean_wait, truth.mean_wait);
      std::fflush(stdout);
    }
  }

  const char* traces = std::getenv("MUSTER_TRACES");
  const fs::path curie =
      fs::path(traces ? traces : "../shared/traces") / "hpc_sc15/CEA-curie.csv.gz";
  if (fs::exists(curie)) {
    const Cost ours = best_of({muster, "run", "--trace", curie, "--format", "hpc-list", "--fleet",
                               "80640x1", "--policy", "batch:backfill=easy", "--set",
                               "/engine/passes=event", "--out", work / "curie"});
    std::ifstream in(work / "curie/summary.json");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t at = text.find("\"bounded_slowdown\"");
    const double slowdown = std::stod(text.substr(text.find(':', text.find("\"mean\"", at)) + 1));
    if (std::abs(slowdown - 202.1332) > 5e-5)
      fail("CEA-Curie's bounded slowdown is not the published 202.1332");
    std::printf(
        "\nCEA-Curie, EASY, passes=event: 295,540 jobs, 80,640 processors: %.2f s, %.2f CPU s, "
        "peak "
        "%.0f MiB, average bounded slowdown %.4f (published 202.1332)\n",
        ours.elapsed_s, ours.cpu_s, ours.peak_mib, slowdown);
  } else {
    std::printf("\nCEA-Curie: SKIPPED, %s is not there (set MUSTER_TRACES)\n", curie.c_str());
  }
}
