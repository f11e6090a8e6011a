#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "muster/core/job_slots.hpp"
#include "muster/metrics/job_line.hpp"

namespace muster {

/// The table of the jobs that are in the system: what each of the three books must know of a job
/// stands side by side and is looked up once per record, which goes to both ledgers from here. Writes
/// each job's line when the job is final.
class JobBook final : public Observer {
 public:
  JobBook(const Workload& workload, std::span<const ShapeDemand> demands, GpuBook& gpus,
          WaitBook& waits, JobSink& sink);

  void on(const Record& record) override;
  void decided(const Decision& decision) override;
  /// A record of it comes soon.
  void expect(JobId job) const { jobs_.expect(job); }
  /// The window has ended: lines for all jobs that have none yet.
  void close(SimTime end, std::span<const OpenRun> open_runs);

 private:
  struct Past {
    Duration kept{}, lost{}, overhead{}, checkpoint{};
    std::uint32_t preemptions = 0, interruptions = 0, restarts = 0, failed_attempts = 0;
    SimTime reshaped = kNever;  // last
    Duration to_pay{};          // overhead of the run at hand
    Reshapes reshapes;
  };
  struct alignas(64) Job {  // whole cache lines: three
    JobState state = JobState::pending;
    SimTime submit{};
    SimTime first_start = kNever, last_start = kNever;
    std::unique_ptr<Past> past;  // of a job that was preempted or reshaped
    GpuBook::Job gpus;
    WaitBook::Job waits;
  };

  JobLine line(JobId id, const Job& job) const;
  void withdrawn(const Record& record);
  static Past& past(Job& job);

  const Workload& workload_;
  std::span<const ShapeDemand> demands_;
  GpuBook& gpus_;
  WaitBook& waits_;
  JobSink& sink_;
  JobSlots<Job> jobs_;
};

}  // namespace muster
