// Replays a synthetic trace of 10^4, 10^5 and 10^6 jobs with muster and with the floor (bench/floor.cpp)
// and prints CPU seconds, their ratio and their growth. One command, one machine, one run:
//
//   ./dev bench          or          build/release/bench_replay [JOBS ...]
//
// The answers are checked: the order of starts under FIFO, the floor's mean wait, the ledger's total
// and one fingerprint over repetitions. CEA-Curie follows where MUSTER_TRACES has it.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "muster/core/detmath.hpp"
#include "muster/core/random.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;
using muster::Stream;

constexpr int kNodes = 1024;
constexpr int kPerNode = 8;
constexpr double kLoad = 0.95;
constexpr int kRepetitions = 3;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_replay: %s\n", why.c_str());
  std::exit(1);
}

/// The mix of bench/floor.cpp's companion: most jobs small, most GPU time in large gangs, lognormal
/// durations (median 665 s), day cycle in the arrivals, a chosen load.
void write_trace(const fs::path& file, std::size_t jobs) {
  struct Size {
    int gpus;
    double weight;
  };
  static constexpr Size kSizes[] = {{1, .60},   {2, .12},  {4, .10},    {8, .12},   {16, .03},
                                    {32, .015}, {64, .01}, {128, .004}, {256, .001}};
  Stream random(1, "bench.replay");
  std::vector<std::pair<int, std::int64_t>> list;
  double work = 0;
  for (std::size_t i = 0; i < jobs; ++i) {
    double at = random.uniform();
    std::size_t s = 0;
    while (s + 1 < std::size(kSizes) && at >= kSizes[s].weight) at -= kSizes[s++].weight;
    const double drawn = random.lognormal(6.5, 1.9);
    const std::int64_t duration =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(drawn), 1, 14 * 86400);
    list.emplace_back(kSizes[s].gpus, duration);
    work += static_cast<double>(kSizes[s].gpus) * static_cast<double>(duration);
  }
  const double rate = static_cast<double>(jobs) / (work / (kNodes * kPerNode * kLoad));
  std::ofstream out(file);
  out << "submit,gpus,duration\n";
  double t = 0;
  for (const auto& [gpus, duration] : list) {
    const double day =
        muster::detmath::sin(2 * 3.14159265358979323846 * std::fmod(t, 86400) / 86400);
    t += random.exponential(1 / rate) / (1 + 0.5 * day);
    out << static_cast<std::int64_t>(t) << ',' << gpus << ',' << duration << '\n';
  }
}

/// Runs a command with its output thrown away; returns its CPU seconds (user + system).
double cpu_seconds(const std::vector<std::string>& command, double* peak_mib = nullptr) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0)
    fail("cannot run " + command[0]);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail(command[0] + " " + command[1] + " did not end well");
  if (peak_mib) *peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

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

std::string field(const fs::path& json, const std::string& key) {
  std::ifstream in(json);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = text.find("\"" + key + "\"");
  if (at == std::string::npos) fail(json.string() + " has no " + key);
  std::size_t from = text.find(':', at) + 1;
  from = text.find_first_not_of(" \n\t\"", from);
  return text.substr(from, text.find_first_of("\",}\n", from) - from);
}

double best_of(const std::vector<std::string>& command, double* peak_mib = nullptr) {
  double best = 1e300;
  for (int i = 0; i < kRepetitions; ++i) best = std::min(best, cpu_seconds(command, peak_mib));
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-') sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {10'000, 100'000, 1'000'000};
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path muster =
      fs::exists(here / "muster") ? here / "muster" : here.parent_path() / "muster";
  const fs::path floor = here / "bench_floor";
  const fs::path work = fs::temp_directory_path() / ("muster_bench_" + std::to_string(getpid()));
  fs::create_directories(work);
  const std::string fleet = std::to_string(kNodes) + "x" + std::to_string(kPerNode);

  std::printf("%d GPUs at %.0f %% load; CPU seconds of the whole command, best of %d\n\n",
              kNodes * kPerNode, kLoad * 100, kRepetitions);
  std::printf("%9s  %-6s %8s %8s %7s %10s %9s  %s\n", "jobs", "policy", "floor", "muster", "ratio",
              "us/job", "peak MiB", "answer");
  for (const std::size_t jobs : sizes) {
    const fs::path trace = work / "trace.csv";
    write_trace(trace, jobs);
    const double base = best_of({floor, trace, std::to_string(kNodes), std::to_string(kPerNode),
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
          fleet,
          "--policy",
          std::string("batch:placer=pack,estimates=perfect,backfill=") +
              (policy == "fifo" ? "none" : "easy"),
          "--out",
          out};
      double peak = 0;
      const double ours = best_of(command, &peak);
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
      cpu_seconds(command);
      if (field(out / "summary.json", "fingerprint") != fingerprint)
        fail("two runs, two fingerprints");
      std::printf(
          "%9zu  %-6s %8.3f %8.3f %6.2fx %10.3f %9.0f  %s, mean wait %.0f s (floor %.0f s)\n", jobs,
          policy.c_str(), base, ours, ours / base, ours / static_cast<double>(jobs) * 1e6, peak,
          fingerprint.c_str(), answer.mean_wait, truth.mean_wait);
      std::fflush(stdout);
    }
  }

  const char* traces = std::getenv("MUSTER_TRACES");
  const fs::path curie =
      fs::path(traces ? traces : "../shared/traces") / "hpc_sc15/CEA-curie.csv.gz";
  if (fs::exists(curie)) {
    double peak = 0;
    const double ours = best_of(
        {muster, "run", "--trace", curie, "--format", "hpc-list", "--fleet", "80640x1", "--policy",
         "batch:backfill=easy", "--set", "/engine/passes=event", "--out", work / "curie"},
        &peak);
    std::ifstream in(work / "curie/summary.json");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t at = text.find("\"bounded_slowdown\"");
    const double slowdown = std::stod(text.substr(text.find(':', text.find("\"mean\"", at)) + 1));
    if (std::abs(slowdown - 202.1332) > 5e-5)
      fail("CEA-Curie's bounded slowdown is not the published 202.1332");
    std::printf(
        "\nCEA-Curie, EASY, passes=event: 295,540 jobs, 80,640 processors: %.2f CPU s, peak %.0f "
        "MiB, "
        "average bounded slowdown %.4f (published 202.1332)\n",
        ours, peak, slowdown);
  } else {
    std::printf("\nCEA-Curie: SKIPPED, %s is not there (set MUSTER_TRACES)\n", curie.c_str());
  }
  fs::remove_all(work);
}
