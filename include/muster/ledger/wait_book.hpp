#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "muster/core/int128.hpp"
#include "muster/engine/record.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// What a job waited for, all its waits together.
struct Waits {
  std::array<Duration, kCauses> by_cause{};
  Duration in_all{};
};

/// The book of waiting time (DESIGN section 4): every nanosecond that a job is in the system and does
/// not run has one cause, and the causes add up to its wait exactly (checked for each job).
///
/// A cause belongs to a shape and changes only at decisions. So each shape keeps a running total per
/// cause; a job subtracts the totals when it joins the queue and adds them when it leaves. That is
/// O(1) per job and per changed shape, however long the queue.
///
/// From joining until the first decision after it the cause is `interval`, and so it is for a shape
/// that no decision has named yet.
///
/// What it must know of a job in the system is a Job, kept by whoever has the table of jobs
/// (JobBook), so that one look-up serves all books.
class WaitBook {
 private:
  enum class Where : std::uint8_t { nowhere, held, fresh, settled };

 public:
  class Job {
   public:
    /// Its waits so far: complete once it has left for good, or close() was called.
    const Waits& waits() const { return waits_; }

   private:
    friend class WaitBook;
    Where where_ = Where::nowhere;
    SimTime since_{};  // began this wait
    Waits waits_;      // by_cause: less the shape's totals while settled
  };

  explicit WaitBook(const Workload& workload);

  /// `job` is fresh at its submit, and is not asked for again after its end.
  void on(const Record& record, Job& job);
  /// `job_of` says where a job's state is; nullptr if it has left the system.
  template <class JobOf>
  void decided(const Decision& decision, JobOf job_of) {
    enter_causes(decision);
    for (const JobId id : fresh_)
      if (Job* job = job_of(id)) settle(id, *job, decision.at);
    fresh_.clear();
  }
  /// The window ends while the job is in the system.
  void close(JobId id, Job& job, SimTime end);

  /// Of all jobs that have left, or were closed.
  const std::array<Int128, kCauses>& times() const { return times_; }

 private:
  struct Shape {
    Cause cause = Cause::interval;
    SimTime since{};  // totals are complete up to here
    std::array<Duration, kCauses> totals{};
  };

  void join(JobId id, Job& job, SimTime at);
  void enter_causes(const Decision& decision);
  void settle(JobId id, Job& job, SimTime at);
  void touch(Shape& shape, SimTime at);
  void leave(JobId id, Job& job, SimTime at);

  IdVector<JobId, ShapeId> const& shape_of_;
  std::vector<Shape> shapes_;
  std::vector<JobId> fresh_;
  std::array<Int128, kCauses> times_{};
};

}  // namespace muster
