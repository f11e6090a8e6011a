#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/metrics/job_line.hpp"
#include "muster/metrics/statistics.hpp"

namespace muster {

inline constexpr std::size_t kJobStates = 10;

/// Jobs that have something in common, and how they fared. Waits are of all jobs that started;
/// turnaround and slowdown of those that also came to an end of their own (JobLine::finished).
struct Group {
  std::string name;           // of the size class, queue or user
  std::uint64_t members = 1;  // more than 1: queues or users summed here
  std::uint64_t jobs = 0;     // submitted, with rejected ones
  std::uint64_t completed = 0;
  std::uint64_t preemptions = 0;
  Statistics wait, jct;         // nanoseconds
  Statistics bounded_slowdown;  // billionths
  Int128 gpu_time = 0;          // held, in thousandth-GPU nanoseconds
  // Of a queue under quotas, in thousandths of a GPU; set by note_quotas().
  std::optional<std::int64_t> cap_milli, guaranteed_milli;
};

/// How often outages interrupt jobs that ask for about as many GPUs: a class ends at each power of two.
struct Reliability {
  std::string gpus;        // "1", "2", "3-4", "5-8", ...
  std::uint64_t jobs = 0;  // that ran
  Int128 run = 0;          // nanoseconds that they ran, of each job once
  std::uint64_t interruptions = 0;
  /// Mean time to failure of one such job, in seconds: nothing where none was interrupted.
  std::optional<double> mttf_s() const;
};

/// max(1, turnaround / max(run, 10 s)) in billionths (CONVENTIONS C10). Turnaround is wait + run for
/// a job that ran once; for a job that ran more often it also counts the waits in between.
std::int64_t bounded_slowdown(Duration turnaround, Duration run);

/// Folds job lines into distributions. 28 bytes for each job that started; nothing is sampled.
class Outcomes final : public JobSink {
 public:
  explicit Outcomes(const Workload& workload);

  void take(const JobLine& line) override;

  Group all() const;
  /// By GPUs asked for, smallest first, without empty classes: "<1", "1", "2-4", ... ">128".
  std::vector<Group> by_size() const;
  /// The `top` ones by GPU time, then all others as one; empty if no job names a queue (a user).
  std::vector<Group> by_queue(std::size_t top) const;
  std::vector<Group> by_user(std::size_t top) const;

  /// Jain's index of the users' mean bounded slowdowns x, (sum x)^2 / (n sum x^2) (Jain, Chiu & Hawe,
  /// DEC-TR-301, 1984): 1 if all fared alike, 1/n if one alone waited. Of the queues'
  /// where the trace names no users, of the jobs' own where it names neither; 1 if nobody came to an end.
  double fairness() const;

  const std::array<std::uint64_t, kJobStates>& states() const { return states_; }
  std::uint64_t preemptions() const { return preemptions_; }
  std::uint64_t interruptions() const { return interruptions_; }
  /// Effective training time ratio (Kokolis et al., arXiv 2410.21680) of the jobs that completed, weighted by
  /// the GPUs they ask for: kept work over the time from the first start to the end. 1 if there is none.
  double ettr() const;
  std::uint64_t restarts() const { return restarts_; }
  /// By GPUs asked for, smallest first, without empty classes.
  std::vector<Reliability> reliability() const;
  const Reshapes& reshapes() const { return reshapes_; }

 private:
  struct Sums {
    std::uint64_t jobs = 0, completed = 0, preemptions = 0;
    Int128 gpu_time = 0;
    void add(const Sums& other);
  };
  using Keys = std::vector<std::uint32_t>;  // of each started job: which group it is in

  std::vector<Group> grouped(const Keys& keys, const std::vector<Sums>& sums) const;
  std::vector<Group> by_name(const IdVector<JobId, NameId>& column, const std::vector<Sums>& sums,
                             std::size_t top) const;

  const Workload& workload_;
  std::array<std::uint64_t, kJobStates> states_{};
  std::uint64_t preemptions_ = 0, interruptions_ = 0, restarts_ = 0;
  std::vector<Reliability> reliability_;  // by the power of two
  Int128 productive_ = 0, elapsed_ = 0;   // of jobs that completed, times thousandths of GPUs
  Reshapes reshapes_;
  std::vector<Sums> sizes_, queues_, users_;
  // One entry per job that started; jct and slowdown are -1 for a job without a turnaround.
  std::vector<JobId> job_;
  std::vector<std::uint8_t> size_;
  std::vector<std::int64_t> wait_, jct_, slowdown_;
};

}  // namespace muster
