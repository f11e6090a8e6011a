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

struct Command {
  std::vector<std::string> words;
  std::vector<Cost> costs;  // by round
};

/// One after the other, round by round, so that what else the machine does touches all of them alike: for a few
/// seconds in all, but five times at least.
void take_turns(const std::vector<Command*>& commands) {
  constexpr double kEnough_s = 6;
  double spent = 0;
  for (int round = 0; round < 5 || (round < 101 && spent < kEnough_s); ++round)
    for (Command* command : commands) {
      command->costs.push_back(*measured(command->words));
      spent += command->costs.back().elapsed_s;
    }
}

/// Of what `value` says of each round.
template <class Value>
double median(std::size_t rounds, const Value& value) {
  std::vector<double> all;
  for (std::size_t i = 0; i < rounds; ++i) all.push_back(value(i));
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rounds / 2), all.end());
  return all[rounds / 2];
}

double median(const Command& command, double Cost::*part) {
  return median(command.costs.size(), [&](std::size_t i) { return command.costs[i].*part; });
}

/// How many times as much as the other's in the same round.
double median_ratio(const Command& command, const Command& other, double Cost::*part) {
  return median(command.costs.size(),
                [&](std::size_t i) { return command.costs[i].*part / (other.costs[i].*part); });
}

Command replay_command(const fs::path& trace, const std::string& backfill, const fs::path& out) {
  return {{muster_program(), "run", "--trace", trace, "--format", "muster", "--fleet", fleet(),
           "--policy", "batch:placer=pack,estimates=perfect,backfill=" + backfill, "--out", out},
          {}};
}

void check(const std::string& policy, const Answer& answer, const Answer& floor, std::size_t jobs) {
  if (answer.jobs != jobs) fail("muster lost jobs");
  if (policy == "easy") {
    if (answer.mean_wait > floor.mean_wait) fail("EASY waits longer than FIFO");
    return;
  }
  // Among nodes with equally many free GPUs the floor takes another one than muster, so waits
  // agree closely, not to the digit.
  if (!answer.in_order) fail("FIFO starts run back");
  if (std::abs(answer.mean_wait - floor.mean_wait) > 0.02 * floor.mean_wait + 1)
    fail("FIFO's mean wait is not the floor's");
}

void replay(std::size_t jobs, const fs::path& work) {
  const fs::path trace = work / "trace.csv";
  write_trace(trace, jobs, kLoad);
  Command floor{{fs::read_symlink("/proc/self/exe").parent_path() / "bench_floor", trace,
                 std::to_string(kNodes), std::to_string(kPerNode), work / "floor.csv"},
                {}};
  Command fifo = replay_command(trace, "none", work / "fifo");
  Command easy = replay_command(trace, "easy", work / "easy");
  std::vector<std::string> fingerprints;
  for (const char* policy : {"fifo", "easy"}) {
    measured((policy == std::string{"fifo"} ? fifo : easy).words);
    fingerprints.push_back(field(work / policy / "summary.json", "fingerprint"));
  }
  take_turns({&floor, &fifo, &easy});
  const Answer truth = read_answer(trace, work / "floor.csv", 1, false);
  for (const std::string policy : {"fifo", "easy"}) {
    const Command& ours = policy == "fifo" ? fifo : easy;
    const fs::path out = work / policy;
    const Answer answer = read_answer(trace, out / "jobs.csv", 5, true);
    check(policy, answer, truth, jobs);
    const std::string fingerprint = field(out / "summary.json", "fingerprint");
    if (fingerprint != fingerprints[policy == "fifo" ? 0 : 1]) fail("two runs, two fingerprints");
    const double elapsed_s = median(ours, &Cost::elapsed_s);
    std::printf(
        "%9zu  %-6s  %8.3f %8.3f %5.2fx  %8.3f %8.3f %5.2fx %8.3f %9.0f %6zu  %s, mean wait %.0f s "
        "(floor %.0f s)\n",
        jobs, policy.c_str(), median(floor, &Cost::elapsed_s), elapsed_s,
        median_ratio(ours, floor, &Cost::elapsed_s), median(floor, &Cost::cpu_s),
        median(ours, &Cost::cpu_s), median_ratio(ours, floor, &Cost::cpu_s),
        elapsed_s / static_cast<double>(jobs) * 1e6, median(ours, &Cost::peak_mib),
        ours.costs.size(), fingerprint.c_str(), answer.mean_wait, truth.mean_wait);
    std::fflush(stdout);
  }
}

/// The published average bounded slowdown, and how long it takes.
void replay_curie(const fs::path& work) {
  const char* traces = std::getenv("MUSTER_TRACES");
  const fs::path curie =
      fs::path(traces ? traces : "../shared/traces") / "hpc_sc15/CEA-curie.csv.gz";
  if (!fs::exists(curie)) {
    std::printf("\nCEA-Curie: SKIPPED, %s is not there (set MUSTER_TRACES)\n", curie.c_str());
    return;
  }
  Command ours{
      {muster_program(), "run", "--trace", curie, "--format", "hpc-list", "--fleet", "80640x1",
       "--policy", "batch:backfill=easy", "--set", "/engine/passes=event", "--out", work / "curie"},
      {}};
  take_turns({&ours});
  std::ifstream in(work / "curie/summary.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = text.find("\"bounded_slowdown\"");
  const double slowdown = std::stod(text.substr(text.find(':', text.find("\"mean\"", at)) + 1));
  if (std::abs(slowdown - 202.1332) > 5e-5)
    fail("CEA-Curie's bounded slowdown is not the published 202.1332");
  std::printf(
      "\nCEA-Curie, EASY, passes=event: 295,540 jobs, 80,640 processors: %.2f s, %.2f CPU s, peak "
      "%.0f MiB, average bounded slowdown %.4f (published 202.1332)\n",
      median(ours, &Cost::elapsed_s), median(ours, &Cost::cpu_s), median(ours, &Cost::peak_mib),
      slowdown);
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
  const Scratch scratch;

  std::printf(
      "%d GPUs at %.0f %% load; the whole command, medians of rounds in which all take their turn, "
      "on %u "
      "processors\n\n"
      "%9s  %-6s  %-24s  %-24s\n"
      "%9s  %-6s  %8s %8s %6s  %8s %8s %6s %8s %9s %6s  %s\n",
      kNodes * kPerNode, kLoad * 100, std::thread::hardware_concurrency(), "", "",
      "seconds on the clock", "CPU seconds", "jobs", "policy", "floor", "muster", "ratio", "floor",
      "muster", "ratio", "us/job", "peak MiB", "rounds", "answer");
  for (const std::size_t jobs : sizes) replay(jobs, scratch.path);
  replay_curie(scratch.path);
}
