#include "muster/ledger/gpu_book.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "muster/core/check.hpp"

namespace muster {
namespace {

std::size_t index(GpuClass c) { return static_cast<std::size_t>(c); }
std::size_t idle_index(Cause cause) { return index(idle_class(cause)) - kFirstIdle; }

/// The order in which groups are charged to one pool and class.
template <class Group>
bool narrower(const Group& a, const Group& b) {
  const int m = std::popcount(a.pools), n = std::popcount(b.pools);
  return m != n ? m < n : a.pools < b.pools;
}

Int128 gpu_time(Duration d, std::int64_t milli) { return Int128{d.count()} * milli; }

/// Runs of one size are one entry.
template <class Run>
void keep(std::vector<Run>& runs, const Run& run) {
  if (runs.empty() || runs.back().milli != run.milli || runs.back().unused != run.unused)
    return runs.push_back(run);
  runs.back().kept += run.kept;
  for (std::size_t i = 0; i < run.waits.size(); ++i) runs.back().waits[i] += run.waits[i];
}

}  // namespace

GpuBook::GpuBook(const Fleet& fleet, const Workload& workload, std::span<const ShapeDemand> demands)
    : shape_of_(workload.shape), nodes_(fleet.nodes.size()) {
  MUSTER_CHECK(demands.size() == workload.shapes.size());
  MUSTER_CHECK(!fleet.pools.empty() && fleet.pools.size() <= 64);
  for (const Fleet::Pool& pool : fleet.pools) free_.push_back(std::int64_t{pool.gpus} * 1000);
  for (const std::int64_t milli : free_) installed_ += milli;

  if (fleet.pools.size() > 1) {
    const std::size_t nodes = fleet.nodes.size();
    pool_of_.resize(nodes);
    pool_ends_.resize(nodes);
    for (std::size_t n = nodes; n-- > 0;) {
      pool_of_[n] = fleet.nodes.items()[n].pool;
      const bool ends = n + 1 == nodes || pool_of_[n + 1] != pool_of_[n];
      pool_ends_[n] = ends ? static_cast<std::uint32_t>(n + 1) : pool_ends_[n + 1];
    }
  }

  // A mask is only what it says about pools that exist. Those who may use few pools are charged first,
  // so that a pool is not called idle while somebody else's choice of pools could have been met.
  const PoolMask all =
      fleet.pools.size() == 64 ? ~PoolMask{0} : (PoolMask{1} << fleet.pools.size()) - 1;
  for (const ShapeDemand& demand : demands) groups_.push_back({demand.pools & all, {}});
  std::sort(groups_.begin(), groups_.end(), narrower<Group>);
  const auto same = [](const Group& a, const Group& b) { return a.pools == b.pools; };
  groups_.erase(std::unique(groups_.begin(), groups_.end(), same), groups_.end());

  shapes_.resize(demands.size());
  for (std::size_t s = 0; s < demands.size(); ++s) {
    const Group key{demands[s].pools & all, {}};
    const auto group = std::lower_bound(groups_.begin(), groups_.end(), key, narrower<Group>);
    const std::uint32_t share = workload.shapes.items()[s].milli;
    shapes_[s].milli = demands[s].milli;
    shapes_[s].unused = demands[s].unused;
    shapes_[s].share = share == 0 ? 1000 : share;
    shapes_[s].group = static_cast<std::uint32_t>(group - groups_.begin());
  }
}

void GpuBook::on(const Record& record, Job& job) {
  advance(record.at);
  switch (record.what) {
    case Record::What::submit:
      if (!opened_) {
        opened_ = true;
        from_ = now_ = record.at;
      }
      if (record.state == JobState::pending) join(record.job, job);
      break;
    case Record::What::release:
      join(record.job, job);
      break;
    case Record::What::acquire:
      acquire(record, job);
      break;
    case Record::What::start:
      start(record, job);
      break;
    case Record::What::reshape:
      reshape(record, job);
      break;
    case Record::What::reprice:
      reprice(record, job);
      break;
    case Record::What::drop:
    case Record::What::stop:
    case Record::What::reject:
    case Record::What::end:
      finish(record, job);
      break;
  }
}

void GpuBook::decided(const Decision& decision) {
  advance(decision.at);
  if (decision.pools.size() != free_.size()) {
    blame(decision.at, "the decision tells of " + std::to_string(decision.pools.size()) + " pools");
  } else {
    for (std::size_t p = 0; p < free_.size(); ++p) {
      const std::int64_t said = decision.pools[p].free_milli;
      if (said == free_[p]) continue;
      blame(decision.at, "pool " + std::to_string(p) + ": the decision leaves " +
                             std::to_string(said) + " thousandths of a GPU free, the records " +
                             std::to_string(free_[p]));
      free_[p] = said;
      stale_ = true;
    }
  }

  for (const Decision::ShapeCause& change : decision.causes) {
    Shape& shape = shapes_[change.shape.value];
    want(shape, shape.cause, -shape.settled);
    shape.cause = change.cause;
    want(shape, shape.cause, shape.settled);
  }
  for (const std::uint32_t s : fresh_) {
    Shape& shape = shapes_[s];
    want(shape, Cause::interval, -shape.fresh);
    want(shape, shape.cause, shape.fresh);
    shape.settled += shape.fresh;
    shape.fresh = 0;
  }
  fresh_.clear();
  ++passes_;
}

void GpuBook::advance(SimTime t) {
  if (!opened_ || t == now_) return;
  if (t < now_) {
    blame(t, "time runs backwards");
    return;
  }
  const Levels& now = levels();
  const std::int64_t ns = (t - now_).count();
  for (std::size_t c = 0; c < kIdleClasses; ++c)
    if (now.idle_milli[c] != 0) times_[kFirstIdle + c] += Int128{now.idle_milli[c]} * ns;
  times_[index(GpuClass::down)] += Int128{now.down_milli} * ns;
  times_[index(GpuClass::maintenance)] += Int128{now.maintenance_milli} * ns;
  now_ = t;
}

const GpuBook::Levels& GpuBook::levels() {
  if (stale_) charge();
  return levels_;
}

/// Free GPUs go to the causes of the jobs that wait for them, in the order of the classes, to each as
/// many as its jobs want; nobody's are what is left. A job that may use several pools is charged in
/// the order of the pools, and once; whoever may use fewer pools comes first.
void GpuBook::charge() {
  stale_ = false;
  levels_.idle_milli = {};
  levels_.idle_milli[index(GpuClass::idle_reserved) - kFirstIdle] = levels_.spare_milli;
  const bool several = free_.size() > 1;  // what one pool leaves open the next ones are asked for
  if (several) left_ = groups_;
  std::vector<Group>& groups = several ? left_ : groups_;
  for (std::size_t p = 0; p < free_.size(); ++p) {
    std::int64_t rest = free_[p];
    for (std::size_t c = 0; c + 1 < kIdleClasses && rest != 0; ++c) {
      for (Group& group : groups) {
        if ((group.pools >> p & 1) == 0) continue;
        const std::int64_t taken = std::min(rest, group.wanted[c]);
        if (several) group.wanted[c] -= taken;
        rest -= taken;
        levels_.idle_milli[c] += taken;
      }
    }
    levels_.idle_milli[kIdleClasses - 1] += rest;
  }
}

void GpuBook::want(const Shape& shape, Cause cause, std::int64_t milli) {
  groups_[shape.group].wanted[idle_index(cause)] += milli;
  stale_ = true;
}

void GpuBook::join(JobId id, Job& job) {
  const std::uint32_t s = shape_of_[id].value;
  Shape& shape = shapes_[s];
  if (shape.fresh == 0) fresh_.push_back(s);
  job.where_ = Where::waiting;
  job.pass_ = passes_;
  change_wants(shape, job, wants(shape, job));
  ++levels_.waiting;
}

/// What the job adds to the demand now.
std::int64_t GpuBook::wants(const Shape& shape, const Job& job) {
  if (job.where_ == Where::waiting) return shape.milli;
  return job.where_ == Where::hoarding ? std::max<std::int64_t>(0, shape.milli - job.milli_) : 0;
}

void GpuBook::change_wants(Shape& shape, const Job& job, std::int64_t change) {
  const bool fresh = job.pass_ == passes_;
  (fresh ? shape.fresh : shape.settled) += change;
  want(shape, fresh ? Cause::interval : shape.cause, change);
  levels_.wanted_milli += change;
}

void GpuBook::leave(JobId id, Job& job) {
  Shape& shape = shapes_[shape_of_[id].value];
  change_wants(shape, job, -wants(shape, job));
  --levels_.waiting;
  job.where_ = Where::nowhere;
}

/// Takes the GPUs of `placement` from the free ones of their pools (sign -1), or gives them back.
/// Returns how many there are, in thousandths.
std::int64_t GpuBook::move(std::span<const Slice> placement, std::int64_t each, int sign) {
  std::int64_t sum = 0;
  stale_ = true;
  for (const Slice& slice : placement) {
    const std::int64_t per_node = count(slice.gpus) * each;
    sum += per_node * slice.count;
    if (pool_of_.empty() && service_.empty()) continue;
    const std::uint32_t last = slice.first.value + slice.count;
    if (!service_.empty()) {
      for (std::uint32_t n = slice.first.value; n < last; ++n) move_on(n, sign * per_node);
      continue;
    }
    for (std::uint32_t n = slice.first.value; n < last;) {
      const std::uint32_t next = std::min(last, pool_ends_[n]);
      free_[pool_of_[n]] += sign * per_node * (next - n);
      n = next;
    }
  }
  if (pool_of_.empty() && service_.empty()) free_[0] += sign * sum;
  return sum;
}

GpuBook::Past& GpuBook::past(Job& job) {
  if (!job.past_) job.past_ = std::make_unique<Past>();
  return *job.past_;
}

/// `placement` lists all that the incomplete gang holds by now, like that of a start.
void GpuBook::acquire(const Record& record, Job& job) {
  Shape& shape = shapes_[shape_of_[record.job].value];
  const std::int64_t wanted = wants(shape, job);
  if (job.where_ == Where::hoarding) {
    settle_hoard(record.at, job);
    return_hoard(job);
  }
  job.where_ = Where::hoarding;
  job.since_ = record.at;
  std::vector<std::int64_t>& hoard = past(job).hoard;
  hoard = free_;
  job.milli_ = move(record.placement, share_of(record.job, job), -1);
  for (std::size_t p = 0; p < free_.size(); ++p) hoard[p] -= free_[p];
  levels_.allocated_milli += job.milli_;
  change_wants(shape, job, wants(shape, job) - wanted);
}

/// What it hoarded is listed once more by the record at hand, so it comes back first.
void GpuBook::return_hoard(Job& job) {
  for (std::size_t p = 0; p < free_.size(); ++p) free_[p] += past(job).hoard[p];
  levels_.allocated_milli -= job.milli_;
  job.milli_ = 0;
}

void GpuBook::start(const Record& record, Job& job) {
  const bool hoarded = job.where_ == Where::hoarding;
  if (job.where_ == Where::waiting || hoarded)
    leave(record.job, job);
  else
    blame(record.at, "a job starts that does not wait");
  if (hoarded) {
    settle_hoard(record.at, job);
    return_hoard(job);
  }
  job.where_ = Where::running;
  job.since_ = record.at;
  share(job, record.share);
  job.milli_ = move(record.placement, share_of(record.job, job), -1);
  if (job.past_ || record.to_pay != Duration{}) past(job).to_pay = record.to_pay;
  if (job.past_) job.past_->stretches.clear();
  if (!record.workers.empty())
    past(job).workers.assign(record.workers.begin(), record.workers.end());
  else if (job.past_)
    job.past_->workers.clear();
  levels_.allocated_milli += job.milli_;
  ++levels_.running;
}

/// The run so far is one of its own, at the size that it had.
void GpuBook::reshape(const Record& record, Job& job) {
  if (job.where_ != Where::running) return blame(record.at, "a job is reshaped that does not run");
  const Run run = kept_run(record.job, job, record.overhead, record.kept);
  past(job).time += settle_run(record, job, run);
  if (run.kept != Duration{}) keep(past(job).runs, run);
  past(job).stretches.clear();
  past(job).workers.clear();
  levels_.allocated_milli -= move(record.before, share_of(record.job, job), +1);
  share(job, record.share);
  job.since_ = record.at;
  job.milli_ = move(record.placement, share_of(record.job, job), -1);
  past(job).to_pay = record.to_pay;
  levels_.allocated_milli += job.milli_;
}

void GpuBook::finish(const Record& record, Job& job) {
  if (record.lost_earlier != Duration{}) lose_earlier(record.at, job, record.lost_earlier);
  JobGpuTime run;
  const Run kept = kept_run(record.job, job, record.overhead, record.kept);
  if (job.where_ == Where::running || job.where_ == Where::hoarding) {
    if (job.where_ == Where::running) {
      run = settle_run(record, job, kept);
      --levels_.running;
    } else {
      settle_hoard(record.at, job);
    }
    move(record.placement, share_of(record.job, job), +1);
    levels_.allocated_milli -= job.milli_;
  }
  if (job.where_ == Where::hoarding || job.where_ == Where::waiting) leave(record.job, job);
  job.where_ = Where::nowhere;

  if (record.what == Record::What::drop || record.what == Record::What::stop) {
    if (run.held() != 0) past(job).time += run;
    if (kept.kept != Duration{}) keep(past(job).runs, kept);
    job.milli_ = 0;
    if (record.state == JobState::pending) join(record.job, job);
    return;
  }
  ended_ = run;
  if (job.past_) ended_ += job.past_->time;
  if (record.state == JobState::completed) useful_ += ended_.kept;
}

/// It holds what it held, and spends its time in another way.
void GpuBook::reprice(const Record& record, Job& job) {
  if (job.where_ != Where::running) return blame(record.at, "a job is repriced that does not run");
  if (record.split.none() && (!job.past_ || job.past_->stretches.empty())) return;
  past(job).stretches.push_back({record.at, record.split});
}

/// The run at hand with what it keeps, which comes after its overhead. Each stretch rounds down.
GpuBook::Run GpuBook::kept_run(JobId id, const Job& job, Duration overhead, Duration kept) const {
  Run run{kept, job.milli_, 0, {}};
  if (const Shape& shape = shapes_[shape_of_[id].value]; shape.unused != 0)
    run.unused = shape.unused * job.milli_ / shape.milli;
  if (!job.past_) return run;
  const std::vector<Stretch>& stretches = job.past_->stretches;
  const SimTime first = job.since_ + overhead, last = first + kept;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const SimTime from = std::clamp(stretches[i].since, first, last);
    const SimTime to =
        i + 1 < stretches.size() ? std::clamp(stretches[i + 1].since, first, last) : last;
    const auto parts = stretches[i].split.parts();
    for (std::size_t p = 0; p < parts.size(); ++p)
      run.waits[p] +=
          Duration{static_cast<std::int64_t>(Int128{(to - from).count()} * parts[p] / 1'000'000)};
  }
  return run;
}

/// `kept` and what of it was waited for, into the classes of running time, or out of them.
void GpuBook::add_run(Duration kept, std::span<const Duration> waits, std::int64_t milli,
                      int sign) {
  for (std::size_t i = 0; i < waits.size(); ++i) {
    times_[index(GpuClass::run_comm) + i] += gpu_time(waits[i], milli) * sign;
    kept -= waits[i];
  }
  times_[index(GpuClass::run_compute)] += gpu_time(kept, milli) * sign;
}

JobGpuTime GpuBook::enter(const Run& run) {
  const std::int64_t used = run.milli - run.unused;
  JobGpuTime time;
  time.kept = gpu_time(run.kept, used);
  time.unused = gpu_time(run.kept, run.unused);
  add_run(run.kept, run.waits, used, 1);
  times_[index(GpuClass::unused)] += time.unused;
  return time;
}

/// What another job has of its GPUs changes with a start or a reshape only.
void GpuBook::share(Job& job, std::uint32_t share) {
  if (share != 0 || job.past_) past(job).share = share;
}

/// A run's time is entered as kept, lost and overhead when it stops. Kept is provisional: a later
/// stop or end may take it back.
JobGpuTime GpuBook::settle_run(const Record& record, const Job& job, const Run& run) {
  if (record.kept + record.lost + record.overhead + record.checkpoint != record.at - job.since_)
    blame(record.at, "the parts of a run do not add up to it");
  JobGpuTime time = enter(run);
  time.lost = gpu_time(record.lost, job.milli_);
  time.hoarded = waited_for_others(job, record.overhead);
  time.overhead = gpu_time(record.overhead, job.milli_) - time.hoarded;
  time.checkpoint = gpu_time(record.checkpoint, job.milli_);
  times_[index(GpuClass::lost)] += time.lost;
  times_[index(GpuClass::starting)] += time.overhead;
  times_[index(GpuClass::hoarded)] += time.hoarded;
  times_[index(GpuClass::checkpoint)] += time.checkpoint;
  return time;
}

/// Of the overhead of the run at hand: what workers that were ready waited for the last one.
Int128 GpuBook::waited_for_others(const Job& job, Duration overhead) {
  if (!job.past_ || job.past_->workers.empty()) return 0;
  Duration last{};
  for (const Record::Worker& w : job.past_->workers) last = std::max(last, w.ready);
  const Duration until = std::min(overhead, last);
  Int128 sum = 0;
  std::int64_t gpus = 0;
  for (const Record::Worker& w : job.past_->workers) {
    gpus += w.gpus;
    if (w.ready < until) sum += gpu_time(until - w.ready, w.gpus);
  }
  return sum * (job.milli_ / gpus);
}

void GpuBook::settle_hoard(SimTime at, Job& job) {
  const Int128 hoarded = gpu_time(at - job.since_, job.milli_);
  times_[index(GpuClass::hoarded)] += hoarded;
  past(job).time.hoarded += hoarded;
  job.since_ = at;
}

/// Work of earlier runs is thrown away, the newest first: at the size at which it was done.
void GpuBook::lose_earlier(SimTime at, Job& job, Duration lost) {
  Past& p = past(job);
  while (lost > Duration{}) {
    if (p.runs.empty()) {
      blame(at, "a job loses more earlier work than it had");
      break;
    }
    Run& last = p.runs.back();
    const Duration taken = std::min(lost, last.kept);
    const std::int64_t used = last.milli - last.unused;
    const Int128 unused = gpu_time(taken, last.unused);
    // What it waited for is thrown away in proportion, and all of it with the last of the run.
    std::array<Duration, TimeSplit::kParts> waits{};
    for (std::size_t i = 0; i < waits.size(); ++i) {
      waits[i] = Duration{static_cast<std::int64_t>(Int128{last.waits[i].count()} * taken.count() /
                                                    last.kept.count())};
      last.waits[i] -= waits[i];
    }
    add_run(taken, waits, used, -1);
    times_[index(GpuClass::unused)] -= unused;
    times_[index(GpuClass::lost)] += gpu_time(taken, last.milli);
    p.time.kept -= gpu_time(taken, used);
    p.time.unused -= unused;
    p.time.lost += gpu_time(taken, last.milli);
    last.kept -= taken;
    lost -= taken;
    if (last.kept == Duration{}) p.runs.pop_back();
  }
}

void GpuBook::end_window(SimTime end) {
  if (!opened_) from_ = now_ = end;
  if (end > now_) advance(end);
}

JobGpuTime GpuBook::settle(JobId id, Job& job, Duration checkpoint) {
  if (job.where_ == Where::hoarding) settle_hoard(now_, job);
  if (job.where_ == Where::running) {
    Past& p = past(job);
    const Duration paid = std::min(now_ - job.since_, p.to_pay);
    JobGpuTime run = enter(kept_run(id, job, paid, now_ - job.since_ - paid - checkpoint));
    run.hoarded = waited_for_others(job, paid);
    run.overhead = gpu_time(paid, job.milli_) - run.hoarded;
    times_[index(GpuClass::hoarded)] += run.hoarded;
    run.checkpoint = gpu_time(checkpoint, job.milli_);
    times_[index(GpuClass::checkpoint)] += run.checkpoint;
    times_[index(GpuClass::starting)] += run.overhead;
    p.time += run;
    job.since_ = now_;
  }
  return job.past_ ? job.past_->time : JobGpuTime{};
}

const std::string& GpuBook::fault() {
  const Int128 capacity = Int128{installed_} * (now_ - from_).count();
  const Int128 classes = total(times_);
  if (classes != capacity)
    blame(now_, "the classes add up to " + to_decimal(classes, kGpuTimeDigits) +
                    " GPU-s, the fleet has " + to_decimal(capacity, kGpuTimeDigits));
  return fault_;
}

void GpuBook::prove() {
  if (!fault().empty())
    fail_check(("the GPU ledger does not balance: " + fault_).c_str(), __FILE__, __LINE__);
}

void GpuBook::blame(SimTime at, const std::string& what) {
  if (fault_.empty()) fault_ = "at " + to_decimal(at.time_since_epoch().count(), 9) + " s, " + what;
}

}  // namespace muster
