#pragma once
// What the benches share: a synthetic trace of any load, and how a command is measured.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/detmath.hpp"
#include "muster/core/random.hpp"

extern char** environ;

namespace muster::bench {

namespace fs = std::filesystem;

constexpr int kNodes = 1024;
constexpr int kPerNode = 8;

inline std::string fleet() { return std::to_string(kNodes) + "x" + std::to_string(kPerNode); }

[[noreturn]] inline void fail(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

/// The muster that was built beside this program.
inline fs::path muster_program() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  return fs::exists(here / "muster") ? here / "muster" : here.parent_path() / "muster";
}

/// A folder that goes away with its owner.
struct Scratch {
  Scratch() : path(fs::temp_directory_path() / ("muster_bench_" + std::to_string(getpid()))) {
    fs::create_directories(path);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

/// GPUs and seconds of the next job: most jobs small, most GPU time in large gangs, lognormal durations (median 665 s).
inline std::pair<int, std::int64_t> next_job(Stream& random) {
  struct Size {
    int gpus;
    double weight;
  };
  static constexpr Size kSizes[] = {{1, .60},   {2, .12},  {4, .10},    {8, .12},   {16, .03},
                                    {32, .015}, {64, .01}, {128, .004}, {256, .001}};
  double at = random.uniform();
  std::size_t s = 0;
  while (s + 1 < std::size(kSizes) && at >= kSizes[s].weight) at -= kSizes[s++].weight;
  const double drawn = random.lognormal(6.5, 1.9);
  const std::int64_t duration =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(drawn), 1, 14 * 86400);
  return {kSizes[s].gpus, duration};
}

/// The mix of bench/floor.cpp's companion, with a day cycle in the arrivals and a chosen load. `people`: with users,
/// queues, and estimates up to three times too long. Jobs are drawn twice and not kept: a command that is measured
/// is charged with the memory of who starts it.
inline void write_trace(const fs::path& file, std::size_t jobs, double load, bool people = false) {
  Stream random(1, "bench.replay");
  Stream again = random;
  double work = 0;
  for (std::size_t i = 0; i < jobs; ++i) {
    const auto [gpus, duration] = next_job(random);
    work += static_cast<double>(gpus) * static_cast<double>(duration);
  }
  const double rate = static_cast<double>(jobs) / (work / (kNodes * kPerNode * load));
  std::ofstream out(file);
  out << "submit,gpus,duration" << (people ? ",user,queue,estimate\n" : "\n");
  Stream who(1, "bench.people");
  double t = 0;
  for (std::size_t i = 0; i < jobs; ++i) {
    const auto [gpus, duration] = next_job(again);
    const double day =
        muster::detmath::sin(2 * 3.14159265358979323846 * std::fmod(t, 86400) / 86400);
    t += random.exponential(1 / rate) / (1 + 0.5 * day);
    out << static_cast<std::int64_t>(t) << ',' << gpus << ',' << duration;
    if (people) {
      const auto user = static_cast<int>(40 * who.uniform() * who.uniform());
      const double more = 1 + 2 * who.uniform();
      out << ",u" << user << ",q" << user % 4 << ','
          << static_cast<std::int64_t>(static_cast<double>(duration) * more);
    }
    out << '\n';
  }
}

struct Cost {
  double cpu_s = 0;      // of all its threads
  double elapsed_s = 0;  // on the clock
  double peak_mib = 0;
};

/// Runs a command with its output thrown away: its CPU seconds (user + system), time on the
/// clock and peak memory. Nothing
/// if it used more than `limit_s` CPU seconds (0: no limit) and was stopped. Any other bad end is ours.
inline std::optional<Cost> measured(const std::vector<std::string>& command, int limit_s = 0) {
  std::vector<std::string> words;
  if (limit_s > 0)
    words = {"/bin/sh", "-c", "ulimit -t " + std::to_string(limit_s) + "; exec \"$@\"", "sh"};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const auto begin = std::chrono::steady_clock::now();
  if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0)
    fail("cannot run " + command[0]);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) < 0) fail("cannot wait for " + command[0]);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  const Cost cost{seconds(usage.ru_utime) + seconds(usage.ru_stime), elapsed.count(),
                  static_cast<double>(usage.ru_maxrss) / 1024};
  // What the limit goes by and what is reported afterwards differ by a per cent or two.
  if (WIFSIGNALED(status) && limit_s > 0 && cost.cpu_s > 0.9 * limit_s - 1) return std::nullopt;
  // 1: the answer is no (a deadlock, say), which is an answer.
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
    fail(command[0] + " " + command[1] + " did not end well");
  return cost;
}

/// The text of a field of a result's JSON, the first of that name.
inline std::string field(const fs::path& json, const std::string& key) {
  std::ifstream in(json);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = text.find("\"" + key + "\"");
  if (at == std::string::npos) fail(json.string() + " has no " + key);
  std::size_t from = text.find(':', at) + 1;
  from = text.find_first_not_of(" \n\t\"", from);
  return text.substr(from, text.find_first_of("\",}\n", from) - from);
}

}  // namespace muster::bench
