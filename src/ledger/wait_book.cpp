#include "muster/ledger/wait_book.hpp"

#include "muster/core/check.hpp"

namespace muster {
namespace {

std::size_t index(Cause c) { return static_cast<std::size_t>(c); }

void add(Waits& waits, Cause cause, Duration d) { waits.by_cause[index(cause)] += d; }

}  // namespace

WaitBook::WaitBook(const Workload& workload)
    : shape_of_(workload.shape), shapes_(workload.shapes.size()), jobs_(workload.size()) {}

void WaitBook::on(const Record& record) {
  const auto join = [&](Job& job) {
    job.where = Where::fresh;
    job.joined = record.at;
    fresh_.push_back(record.job);
  };
  if (record.what == Record::What::submit) {
    Job& job = jobs_.open(record.job);
    job.since = record.at;
    if (record.state == JobState::held)
      job.where = Where::held;
    else
      join(job);
    return;
  }
  ended_ = {};
  Job* job = jobs_.find(record.job);
  if (job == nullptr) return;  // withdrawn before it was submitted
  switch (record.what) {
    case Record::What::submit:
    case Record::What::acquire:
    case Record::What::drop:
      break;
    case Record::What::release:
      leave(record.job, *job, record.at);
      job->since = record.at;
      join(*job);
      break;
    case Record::What::start:
      leave(record.job, *job, record.at);
      break;
    case Record::What::stop:
      if (record.state != JobState::pending) break;
      job->since = record.at;
      join(*job);
      break;
    case Record::What::reject:
    case Record::What::end:
      leave(record.job, *job, record.at);
      ended_ = job->waits;
      for (std::size_t c = 0; c < kCauses; ++c) times_[c] += ended_.by_cause[c].count();
      jobs_.close(record.job);
      break;
  }
}

void WaitBook::decided(const Decision& decision) {
  for (const Decision::ShapeCause& change : decision.causes) {
    Shape& shape = shapes_[change.shape.value];
    touch(shape, decision.at);
    shape.cause = change.cause;
  }
  for (const JobId id : fresh_) {
    Job* job = jobs_.find(id);
    if (job == nullptr || job->where != Where::fresh) continue;  // started at once
    Shape& shape = shapes_[shape_of_[id].value];
    touch(shape, decision.at);
    add(job->waits, Cause::interval, decision.at - job->joined);
    for (std::size_t c = 0; c < kCauses; ++c) job->waits.by_cause[c] -= shape.totals[c];
    job->where = Where::settled;
  }
  fresh_.clear();
}

void WaitBook::touch(Shape& shape, SimTime at) {
  shape.totals[index(shape.cause)] += at - shape.since;
  shape.since = at;
}

void WaitBook::leave(JobId id, Job& job, SimTime at) {
  switch (job.where) {
    case Where::nowhere:
      return;  // it runs, or has just been stopped for good
    case Where::held:
      add(job.waits, Cause::held, at - job.since);
      break;
    case Where::fresh:
      add(job.waits, Cause::interval, at - job.joined);
      break;
    case Where::settled: {
      Shape& shape = shapes_[shape_of_[id].value];
      touch(shape, at);
      for (std::size_t c = 0; c < kCauses; ++c) job.waits.by_cause[c] += shape.totals[c];
      break;
    }
  }
  job.where = Where::nowhere;
  job.waits.in_all += at - job.since;
  Duration sum{};
  for (const Duration d : job.waits.by_cause) sum += d;
  MUSTER_CHECK(sum == job.waits.in_all);
}

Waits WaitBook::waits(JobId id) const {
  const Job* job = jobs_.find(id);
  return job == nullptr ? Waits{} : job->waits;
}

void WaitBook::close(SimTime end) {
  jobs_.for_each([&](JobId id, Job& job) {
    leave(id, job, end);
    for (std::size_t c = 0; c < kCauses; ++c) times_[c] += job.waits.by_cause[c].count();
  });
}

}  // namespace muster
