#include "muster/metrics/job_book.hpp"

#include <algorithm>

#include "muster/workload/checkpoints.hpp"

namespace muster {
namespace {

/// Adds how a run divided to what is known of the job's running time.
template <class Times>
void settle(const Record& record, Times& times) {
  times.kept += record.kept - record.lost_earlier;
  times.lost += record.lost + record.lost_earlier;
  times.overhead += record.overhead;
  times.checkpoint += record.checkpoint;
}

/// By whom it was stopped. A node that was found slow is told with the stragglers.
template <class Counts>
void count_stop(const Record& record, Counts& counts) {
  if (record.interrupted)
    ++counts.interruptions;
  else if (record.failed)
    ++counts.failed_attempts;
  else if (!record.slow)
    ++counts.preemptions;
}

}  // namespace

JobBook::JobBook(const Workload& workload, std::span<const ShapeDemand> demands, GpuBook& gpus,
                 WaitBook& waits, JobSink& sink)
    : workload_(workload),
      demands_(demands),
      gpus_(gpus),
      waits_(waits),
      sink_(sink),
      jobs_(workload.size()) {}

void JobBook::on(const Record& record) {
  if (record.what == Record::What::submit) {
    Job& job = jobs_.open(record.job);
    job.state = record.state;
    job.submit = record.at;
    gpus_.on(record, job.gpus);
    waits_.on(record, job.waits);
    return;
  }
  Job* found = jobs_.find(record.job);
  if (found == nullptr) return withdrawn(record);
  Job& job = *found;
  gpus_.on(record, job.gpus);
  waits_.on(record, job.waits);
  job.state = record.state;
  switch (record.what) {
    case Record::What::submit:
    case Record::What::release:
    case Record::What::acquire:
    case Record::What::drop:
    case Record::What::reprice:
      return;
    case Record::What::start:
      job.last_start = record.at;
      if (job.past || record.to_pay != Duration{}) past(job).to_pay = record.to_pay;
      if (job.first_start == kNever)
        job.first_start = record.at;
      else
        ++past(job).restarts;
      return;
    case Record::What::reshape:
      past(job).reshaped = record.at;
      past(job).to_pay = record.to_pay;
      if (record.interrupted) {
        ++past(job).interruptions;
        ++past(job).restarts;
      } else {
        past(job).reshapes.add(record.before, record.placement);
      }
      settle(record, past(job));
      return;
    case Record::What::stop:
      count_stop(record, past(job));
      settle(record, past(job));
      return;
    case Record::What::reject:
    case Record::What::end:
      break;
  }
  JobLine done = line(record.job, job);
  settle(record, done);
  done.interruptions += record.interrupted;
  done.end = record.at;
  done.gpu_time = gpus_.ended();
  jobs_.close(record.job);
  sink_.take(done);
}

JobBook::Past& JobBook::past(Job& job) {
  if (!job.past) job.past = std::make_unique<Past>();
  return *job.past;
}

/// Its user took it back before it was submitted: the ledgers never hear of it.
void JobBook::withdrawn(const Record& record) {
  if (jobs_.seen(record.job)) return;
  Job& job = jobs_.open(record.job);
  job.state = record.state;
  job.submit = workload_.submit[record.job];
  JobLine done = line(record.job, job);
  done.end = record.at;
  jobs_.close(record.job);
  sink_.take(done);
}

void JobBook::decided(const Decision& decision) {
  gpus_.decided(decision);
  waits_.decided(decision, [&](JobId id) {
    Job* job = jobs_.find(id);
    return job == nullptr ? nullptr : &job->waits;
  });
}

JobLine JobBook::line(JobId id, const Job& job) const {
  JobLine line;
  line.job = id;
  line.state = job.state;
  line.submit = job.submit;
  line.first_start = job.first_start;
  line.last_start = job.last_start;
  const ShapeDemand& demand = demands_[workload_.shape[id].value];
  line.gpus_milli = demand.milli - demand.unused;
  if (job.past) {
    line.kept = job.past->kept;
    line.lost = job.past->lost;
    line.overhead = job.past->overhead;
    line.checkpoint = job.past->checkpoint;
    line.preemptions = job.past->preemptions;
    line.interruptions = job.past->interruptions;
    line.failed_attempts = job.past->failed_attempts;
    line.restarts = job.past->restarts;
    line.reshapes = job.past->reshapes;
  }
  line.waits = job.waits.waits();
  return line;
}

void JobBook::close(SimTime end, std::span<const OpenRun> open_runs) {
  for (std::uint32_t j = 0; j < workload_.size(); ++j) {
    const JobId id{j};
    if (Job* job = jobs_.find(id)) {
      waits_.close(id, job->waits, end);
      JobLine left = line(id, *job);
      Duration checkpoint{}, overhead = kUnknown;
      if (job->state == JobState::running) {
        SimTime since = job->last_start;
        if (job->past && job->past->reshaped != kNever)
          since = std::max(since, job->past->reshaped);
        Duration paid = job->past ? std::min(end - since, job->past->to_pay) : Duration{};
        checkpoint = CheckpointRhythm{workload_, id}.parts(end - since - paid).writing;
        const auto open = std::find_if(open_runs.begin(), open_runs.end(),
                                       [&](const OpenRun& run) { return run.job == id; });
        if (open != open_runs.end()) {
          paid = overhead = open->overhead;
          checkpoint = open->checkpoint;
        }
        left.overhead += paid;
        left.checkpoint += checkpoint;
        left.kept += end - since - paid - checkpoint;
      }
      left.gpu_time = gpus_.settle(id, job->gpus, checkpoint, overhead);
      sink_.take(left);
    } else if (!jobs_.seen(id)) {
      Job never;
      never.state = JobState::never_submitted;
      never.submit = workload_.submit[id];
      sink_.take(line(id, never));
    }
  }
}

}  // namespace muster
