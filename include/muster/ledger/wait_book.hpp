#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "muster/core/int128.hpp"
#include "muster/engine/record.hpp"
#include "muster/ledger/job_slots.hpp"
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
class WaitBook final : public Observer {
 public:
  explicit WaitBook(const Workload& workload);

  void on(const Record& record) override;
  void decided(const Decision& decision) override;
  /// Ends the waits of all jobs that are still in the system.
  void close(SimTime end);

  /// Of all jobs; complete after close().
  const std::array<Int128, kCauses>& times() const { return times_; }
  /// The waits of the job whose end (or rejection) was the last record.
  const Waits& ended() const { return ended_; }
  /// The waits of a job that is in the system; complete only after close().
  Waits waits(JobId job) const;

 private:
  enum class Where : std::uint8_t { nowhere, held, fresh, settled };
  struct Job {
    Where where = Where::nowhere;
    SimTime since{};   // began this wait
    SimTime joined{};  // fresh: joined the queue
    Waits waits;       // by_cause: less the shape's totals while settled
  };
  struct Shape {
    Cause cause = Cause::interval;
    SimTime since{};  // totals are complete up to here
    std::array<Duration, kCauses> totals{};
  };

  void touch(Shape& shape, SimTime at);
  void leave(JobId id, Job& job, SimTime at);

  IdVector<JobId, ShapeId> const& shape_of_;
  std::vector<Shape> shapes_;
  std::vector<JobId> fresh_;
  JobSlots<Job> jobs_;
  std::array<Int128, kCauses> times_{};
  Waits ended_;
};

}  // namespace muster
