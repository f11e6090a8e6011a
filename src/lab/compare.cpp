#include "muster/lab/compare.hpp"

#include <ctime>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "muster/core/error.hpp"
#include "muster/lab/replay.hpp"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

double cpu_seconds_of_this_thread() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// What the threads share.
class Comparison {
 public:
  Comparison(std::span<const ExperimentSpec> experiments, std::span<const std::string> names,
             const CompareOptions& options)
      : experiments_(experiments),
        options_(options),
        fleet_(experiments.front().fleet()),
        trace_(experiments.front().workload()),
        runs_(experiments.size()),
        parts_(experiments.size()) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      runs_[i].policy = names[i];
      runs_[i].folder = options.out / folder_name(i);
    }
  }

  std::vector<Compared> run() {
    std::vector<std::thread> threads;
    const std::size_t count = std::clamp<std::size_t>(options_.threads, 1, runs_.size());
    for (std::size_t t = 1; t < count; ++t) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(runs_);
  }

 private:
  /// Letters, digits and a few marks of its name; told apart by number where that makes two alike.
  std::string folder_name(std::size_t i) const {
    const auto plain = [&](std::size_t at) {
      std::string text = runs_[at].policy;
      for (char& c : text)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '=')
          c = '-';
      return text;
    };
    std::size_t alike = 0;
    for (std::size_t before = 0; before < i; ++before) alike += plain(before) == plain(i) ? 1 : 0;
    return plain(i) + (alike == 0 ? "" : "-" + std::to_string(alike + 1));
  }

  void work() {
    for (;;) {
      const std::size_t i = next_++;
      if (i >= runs_.size() || failed_) return;
      try {
        run_one(i);
      } catch (...) {
        const std::lock_guard lock{mutex_};
        if (!failure_) failure_ = std::current_exception();
        failed_ = true;
      }
      parts_[i] = 1;
      ++done_;
    }
  }

  void run_one(std::size_t i) {
    Experiment experiment;
    try {
      experiment.json = experiments_[i].text();
      experiment.name = experiments_[i].name();
      experiment.seed = experiments_[i].seed();
      experiment.engine = experiments_[i].engine();
      experiment.policy = experiments_[i].policy();
    } catch (const InputError& error) {
      runs_[i].refusal = error.what();
      return;
    }
    experiment.fleet = fleet_;
    experiment.trace = trace_;
    keep_to_types_that_run(experiment.trace.workload, experiment.fleet);
    if (experiment.policy.policy->by_queue()) split_by_queue(experiment.trace.workload);

    const Clock::time_point begin = Clock::now();
    const double cpu = cpu_seconds_of_this_thread();
    Results results{runs_[i].folder, experiment.trace.workload};
    runs_[i].summary =
        replay(experiment, loads_of(experiment), results,
               [&](const Progress& progress) { return goes_on(i, progress, begin); });
    runs_[i].cpu_s = cpu_seconds_of_this_thread() - cpu;
  }

  bool goes_on(std::size_t i, const Progress& progress, Clock::time_point begin) {
    parts_[i] = static_cast<double>(progress.ended) / static_cast<double>(progress.jobs);
    if (options_.progress) {
      const std::unique_lock lock{mutex_, std::try_to_lock};
      if (lock) report();
    }
    if (options_.interrupted && options_.interrupted()) return false;
    if (options_.seconds <= 0) return true;
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    runs_[i].over_time = elapsed > options_.seconds;
    return !runs_[i].over_time;
  }

  void report() const {
    double sum = 0;
    for (const std::atomic<double>& part : parts_) sum += part;
    options_.progress(done_, sum / static_cast<double>(parts_.size()));
  }

  std::span<const ExperimentSpec> experiments_;
  const CompareOptions& options_;
  const Fleet fleet_;
  const Trace trace_;
  std::vector<Compared> runs_;
  std::vector<std::atomic<double>> parts_;
  std::atomic<std::size_t> next_ = 0, done_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<Compared> compare(std::span<const ExperimentSpec> experiments,
                              std::span<const std::string> names, const CompareOptions& options) {
  if (experiments.empty()) return {};
  return Comparison{experiments, names, options}.run();
}

}  // namespace muster
