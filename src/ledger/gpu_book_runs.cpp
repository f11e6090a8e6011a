// The side of the book where jobs hold GPUs: what became of that time, once it is known.

#include <algorithm>
#include <utility>

#include "ledger/class_index.hpp"
#include "muster/ledger/gpu_book.hpp"

namespace muster {
namespace {

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
    if (waits[i] == Duration{}) continue;
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
  if (record.kept == record.at - job.since_) return time;
  // What it could not use was no work that could be lost.
  const Int128 unused = gpu_time(record.lost, run.unused);
  time.lost = gpu_time(record.lost, job.milli_) - unused;
  time.unused += unused;
  time.hoarded = waited_for_others(job, record.overhead);
  time.overhead = gpu_time(record.overhead, job.milli_) - time.hoarded;
  time.checkpoint = gpu_time(record.checkpoint, job.milli_);
  times_[index(GpuClass::lost)] += time.lost;
  times_[index(GpuClass::unused)] += unused;
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
    // What it waited for is thrown away in proportion, and all of it with the last of the run.
    std::array<Duration, TimeSplit::kParts> waits{};
    for (std::size_t i = 0; i < waits.size(); ++i) {
      waits[i] = Duration{static_cast<std::int64_t>(Int128{last.waits[i].count()} * taken.count() /
                                                    last.kept.count())};
      last.waits[i] -= waits[i];
    }
    add_run(taken, waits, used, -1);
    times_[index(GpuClass::lost)] += gpu_time(taken, used);
    p.time.kept -= gpu_time(taken, used);
    p.time.lost += gpu_time(taken, used);
    last.kept -= taken;
    lost -= taken;
    if (last.kept == Duration{}) p.runs.pop_back();
  }
}

void GpuBook::end_window(SimTime end) {
  if (!opened_) from_ = now_ = end;
  if (end > now_) advance(end);
}

JobGpuTime GpuBook::settle(JobId id, Job& job, Duration checkpoint, Duration overhead) {
  if (job.where_ == Where::hoarding) settle_hoard(now_, job);
  if (job.where_ == Where::running) {
    Past& p = past(job);
    const Duration paid = overhead == kUnknown ? std::min(now_ - job.since_, p.to_pay) : overhead;
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

}  // namespace muster
