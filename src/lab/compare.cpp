#include "muster/lab/compare.hpp"

#include <ctime>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>

#include "crew.hpp"
#include "io/results/result_file.hpp"
#include "muster/lab/replay.hpp"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

double cpu_seconds_of_this_thread() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Letters, digits and a few marks of each name, cut where it is long; told apart by number where that
/// makes two alike.
std::vector<std::string> folder_names(std::span<const std::string> names) {
  constexpr std::size_t kLongest = 60;
  std::vector<std::string> folders;
  std::set<std::string> taken;
  for (std::string text : names) {
    if (text.empty()) text = "policy";
    if (text.size() > kLongest) text.resize(kLongest);
    for (char& c : text)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '=') c = '-';
    std::string folder = text;
    for (std::size_t n = 2; !taken.insert(folder).second; ++n)
      folder = text + "-" + std::to_string(n);
    folders.push_back(std::move(folder));
  }
  return folders;
}

/// Makes every folder and begins every file, so that what is in their way is said before the runs.
void try_out(const std::filesystem::path& out, std::span<const Compared> runs) {
  const Workload nothing;
  for (const Compared& run : runs) const Results results{run.folder, nothing};
  const ResultFile table{comparison_file(out)};
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
        faults_(experiments.size()),
        new_(!std::filesystem::exists(options.out)),
        parts_(experiments.size()) {
    const std::vector<std::string> folders = folder_names(names);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      runs_[i].policy = names[i];
      runs_[i].folder = options.out / folders[i];
    }
    try_out(options.out, runs_);
  }

  std::vector<Compared> run() {
    by_threads(std::clamp<std::size_t>(options_.threads, 1, runs_.size()), [this] { work(); });
    refuse_what_all_refuse();
    return std::move(runs_);
  }

 private:
  /// A policy that fails costs its own row; the others have nothing to do with it.
  void work() {
    for (;;) {
      const std::size_t i = next_++;
      if (i >= runs_.size()) return;
      try {
        run_one(i);
      } catch (const std::exception& error) {
        runs_[i].refusal = error.what();
        faults_[i] = std::current_exception();
      } catch (...) {
        runs_[i].refusal = "it threw what is no std::exception";
      }
      parts_[i] = 1;
      ++done_;
    }
  }

  /// What every run says in the same words is about what they share, and no policy's fault.
  void refuse_what_all_refuse() const {
    const std::string& first = runs_.front().refusal;
    const auto same = [&](const Compared& run) { return run.refusal == first; };
    if (!faults_.front() || !std::all_of(runs_.begin(), runs_.end(), same)) return;
    std::error_code ignored;  // of a folder that is not empty, which stays
    for (const Compared& run : runs_) std::filesystem::remove(run.folder, ignored);
    if (new_) std::filesystem::remove(options_.out, ignored);
    std::rethrow_exception(faults_.front());
  }

  void run_one(std::size_t i) {
    const Experiment experiment = experiments_[i].load(fleet_, trace_);
    const Clock::time_point begin = Clock::now();
    const double cpu = cpu_seconds_of_this_thread();
    Results results{runs_[i].folder, experiment.trace.workload, experiments_[i].output()};
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
  std::vector<std::exception_ptr> faults_;  // of those that failed
  const bool new_;                          // the folder of all of them
  std::vector<std::atomic<double>> parts_;
  std::atomic<std::size_t> next_ = 0, done_ = 0;
  std::mutex mutex_;
};

}  // namespace

std::vector<Compared> compare(std::span<const ExperimentSpec> experiments,
                              std::span<const std::string> names, const CompareOptions& options) {
  if (experiments.empty()) return {};
  experiments.front().check();  // what all of them share
  return Comparison{experiments, names, options}.run();
}

}  // namespace muster
