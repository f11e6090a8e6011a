#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "muster/engine/record.hpp"
#include "muster/ledger/gpu_class.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// What one job of a shape asks for on this fleet.
struct ShapeDemand {
  std::int64_t milli = 0;  // thousandths of a GPU, in all
  PoolMask pools = ~PoolMask{0};
  std::int64_t unused = 0;  // of `milli`: beyond what the job can use
};

/// What a job did with the GPUs it held, in thousandth-GPU nanoseconds.
struct JobGpuTime {
  Int128 kept = 0, lost = 0, overhead = 0, hoarded = 0, checkpoint = 0;
  Int128 unused = 0;  // beside `kept` and `lost`, on GPUs beyond what it asked for
  Int128 held() const { return kept + lost + overhead + hoarded + checkpoint + unused; }
  JobGpuTime& operator+=(const JobGpuTime& other) {
    kept += other.kept;
    lost += other.lost;
    overhead += other.overhead;
    hoarded += other.hoarded;
    checkpoint += other.checkpoint;
    unused += other.unused;
    return *this;
  }
};

/// The book of GPU time (DESIGN section 4): every thousandth-GPU nanosecond from the first submit to
/// the end of the window, by class, in integers.
///
/// Two sides are kept apart. The free side follows what each Decision says is free and what records
/// give back in between. The held side is the jobs' own: what they were given at their start, times
/// what became of that time. At the end both must add up to installed GPUs x window; nothing is
/// defined as the rest of anything.
///
/// O(1) per record, and O(pools x pool masks x idle classes) when time advances: one pool, one mask,
/// seven classes on most fleets. The queue is never walked.
///
/// What it must know of a job in the system is a Job, kept by whoever has the table of jobs
/// (JobBook), so that one look-up serves all books.
class GpuBook {
 private:
  enum class Where : std::uint8_t { nowhere, waiting, hoarding, running };
  struct Run {
    Duration kept{};
    std::int64_t milli = 0;
    std::int64_t unused = 0;                          // of `milli`
    std::array<Duration, TimeSplit::kParts> waits{};  // of `kept`, see TimeSplit
  };
  /// From `since` on the job spends its time so.
  struct Stretch {
    SimTime since;
    TimeSplit split;
  };
  /// Of a job that was stopped, or hoards: most never have one.
  struct Past {
    JobGpuTime time;
    std::vector<Run> runs;            // kept work by the size at which it was done, the newest last
    std::vector<std::int64_t> hoard;  // by pool, while hoarding
    std::vector<Stretch> stretches;   // of the run at hand; none before the first
    Duration to_pay{};                // overhead of the run at hand
    std::uint32_t share = 0;          // of each GPU of it, as Record::share
    std::vector<Record::Worker> workers;  // of the run at hand, where they are seen to wait
  };

 public:
  class Job {
    friend class GpuBook;
    Where where_ = Where::nowhere;
    std::uint64_t pass_ = 0;  // number of decisions when it joined the queue
    std::int64_t milli_ = 0;  // held now
    SimTime since_{};         // start, or the last change of what it hoards
    std::unique_ptr<Past> past_;
  };

  /// `demands` by ShapeId.
  GpuBook(const Fleet& fleet, const Workload& workload, std::span<const ShapeDemand> demands);

  /// `job` is fresh at its submit, and is not asked for again after its end.
  void on(const Record& record, Job& job);
  void node(const NodeRecord& record);
  void decided(const Decision& decision);
  /// Nothing happens until `t`.
  void advance(SimTime t);

  /// The state between the last call and the next one, whenever that is.
  struct Levels {
    std::array<std::int64_t, kIdleClasses>
        idle_milli{};  // free GPUs by class, from idle_fragmented
    std::int64_t allocated_milli = 0;
    std::int64_t down_milli = 0, maintenance_milli = 0, spare_milli = 0;
    std::int64_t wanted_milli = 0;  // by waiting jobs
    std::int64_t running = 0;       // jobs
    std::int64_t waiting = 0;       // jobs, without held ones
  };
  const Levels& levels();

  /// At the end: the window ends, then each job that is still in the system is settled (what runs
  /// counts as kept), then the book must balance.
  void end_window(SimTime end);
  /// The account of the job by now; of the run at hand, if there is one, so much went into checkpoints, and
  /// into its overhead, if that is not what its start or reshape said.
  JobGpuTime settle(JobId id, Job& job, Duration checkpoint = {}, Duration overhead = kUnknown);
  /// What is wrong; empty if nothing is.
  const std::string& fault();
  /// Fails if anything is wrong.
  void prove();

  bool opened() const { return opened_; }
  SimTime from() const { return from_; }
  SimTime now() const { return now_; }
  std::int64_t installed_milli() const { return installed_; }
  const GpuTimes& times() const { return times_; }
  /// Kept work of jobs that completed: what goodput counts (CONVENTIONS C9).
  Int128 useful() const { return useful_; }

  /// The account of the job whose end (or rejection) was the last record.
  const JobGpuTime& ended() const { return ended_; }

 private:
  struct Shape {
    std::int64_t milli = 0;         // asked for
    std::int64_t unused = 0;        // of that
    std::int64_t share = 0;         // thousandths held on each GPU of a placement
    std::uint32_t group = 0;        // shapes with the same pool mask
    Cause cause = Cause::interval;  // until a decision names one
    std::int64_t settled = 0;       // demand of jobs that a decision has seen
    std::int64_t fresh = 0;         // demand of jobs that joined since
  };
  struct Group {
    PoolMask pools = 0;
    std::array<std::int64_t, kIdleClasses> wanted{};  // by idle class
  };

  static Past& past(Job& job);
  void charge();
  void join(JobId id, Job& job);
  void leave(JobId id, Job& job);
  static std::int64_t wants(const Shape& shape, const Job& job);
  void change_wants(Shape& shape, const Job& job, std::int64_t change);
  void want(const Shape& shape, Cause cause, std::int64_t milli);
  void acquire(const Record& record, Job& job);
  void return_hoard(Job& job);
  void start(const Record& record, Job& job);
  void reshape(const Record& record, Job& job);
  void reprice(const Record& record, Job& job);
  Run kept_run(JobId id, const Job& job, Duration overhead, Duration kept) const;
  void add_run(Duration kept, std::span<const Duration> waits, std::int64_t milli, int sign);
  JobGpuTime enter(const Run& run);
  JobGpuTime settle_run(const Record& record, const Job& job, const Run& run);
  void settle_hoard(SimTime at, Job& job);
  static Int128 waited_for_others(const Job& job, Duration overhead);
  void lose_earlier(SimTime at, Job& job, Duration lost);
  void finish(const Record& record, Job& job);
  /// Thousandths that the job holds on each of its GPUs.
  std::int64_t share_of(JobId id, const Job& job) const {
    if (job.past_ && job.past_->share != 0) return job.past_->share;
    return shapes_[shape_of_[id].value].share;
  }
  static void share(Job& job, std::uint32_t share);
  std::int64_t move(std::span<const Slice> placement, std::int64_t each, int sign);
  void move_on(std::uint32_t node, std::int64_t milli);
  std::int64_t* out_of_service(Service service);
  void blame(SimTime at, const std::string& what);

  IdVector<JobId, ShapeId> const& shape_of_;
  std::size_t nodes_;
  std::vector<std::uint8_t> pool_of_;     // by node; empty if there is one pool
  std::vector<std::uint32_t> pool_ends_;  // by node: where its run of nodes of one pool ends
  std::vector<Shape> shapes_;
  std::vector<Group> groups_;
  std::vector<Group> left_;           // scratch of charge()
  std::vector<std::uint32_t> fresh_;  // shapes with fresh demand

  std::int64_t installed_ = 0;
  std::vector<std::int64_t> free_;    // by pool
  std::vector<Service> service_;      // by node; empty until one is out of service
  std::vector<std::int64_t> behind_;  // by node out of service: what nobody holds of it
  Levels levels_;
  bool stale_ = true;  // levels_.idle_milli must be computed again
  std::uint64_t passes_ = 0;

  bool opened_ = false;
  SimTime from_ = kStart, now_ = kStart;
  GpuTimes times_{};
  Int128 useful_ = 0;
  JobGpuTime ended_;
  std::string fault_;
};

}  // namespace muster
