#pragma once
#include <cstdint>
#include <span>

#include "muster/metrics/job_line.hpp"

namespace muster {

/// Writes each job's line when the job is final, and keeps state only for jobs that are in the
/// system. It reads the two ledgers' accounts of a job, so it must hear of a record after they did.
class JobBook final : public Observer {
 public:
  JobBook(const Workload& workload, std::span<const ShapeDemand> demands, const GpuBook& gpus,
          const WaitBook& waits, JobSink& sink);

  void on(const Record& record) override;
  /// After both ledgers are closed: lines for all jobs that have none yet.
  void close(SimTime end);

 private:
  struct Job {
    JobState state = JobState::pending;
    SimTime submit{};
    SimTime first_start = kNever, last_start = kNever;
    Duration kept{}, lost{}, overhead{};
    std::uint32_t preemptions = 0;
  };

  JobLine line(JobId id, const Job& job) const;
  void settle(const Record& record, Job& job);

  const Workload& workload_;
  std::span<const ShapeDemand> demands_;
  const GpuBook& gpus_;
  const WaitBook& waits_;
  JobSink& sink_;
  JobSlots<Job> jobs_;
};

}  // namespace muster
