#include "muster/ledger/wait_book.hpp"

#include "muster/core/check.hpp"

namespace muster {
namespace {

std::size_t index(Cause c) { return static_cast<std::size_t>(c); }

void add(Waits& waits, Cause cause, Duration d) { waits.by_cause[index(cause)] += d; }

}  // namespace

WaitBook::WaitBook(const Workload& workload)
    : shape_of_(workload.shape), shapes_(workload.shapes.size()) {}

void WaitBook::on(const Record& record, Job& job) {
  switch (record.what) {
    case Record::What::acquire:
    case Record::What::drop:
    case Record::What::reshape:
    case Record::What::reprice:
      break;
    case Record::What::submit:
      if (record.state == JobState::held) {
        job.where_ = Where::held;
        job.since_ = record.at;
      } else {
        join(record.job, job, record.at);
      }
      break;
    case Record::What::release:
      leave(record.job, job, record.at);
      join(record.job, job, record.at);
      break;
    case Record::What::start:
      leave(record.job, job, record.at);
      break;
    case Record::What::stop:
      if (record.state == JobState::pending) join(record.job, job, record.at);
      break;
    case Record::What::reject:
    case Record::What::end:
      close(record.job, job, record.at);
      break;
  }
}

void WaitBook::join(JobId id, Job& job, SimTime at) {
  job.where_ = Where::fresh;
  job.since_ = at;
  fresh_.push_back(id);
}

void WaitBook::enter_causes(const Decision& decision) {
  for (const Decision::ShapeCause& change : decision.causes) {
    Shape& shape = shapes_[change.shape.value];
    touch(shape, decision.at);
    shape.cause = change.cause;
  }
}

void WaitBook::settle(JobId id, Job& job, SimTime at) {
  if (job.where_ != Where::fresh) return;  // started at once
  Shape& shape = shapes_[shape_of_[id].value];
  touch(shape, at);
  add(job.waits_, Cause::interval, at - job.since_);
  for (std::size_t c = 0; c < kCauses; ++c) job.waits_.by_cause[c] -= shape.totals[c];
  job.where_ = Where::settled;
}

void WaitBook::touch(Shape& shape, SimTime at) {
  shape.totals[index(shape.cause)] += at - shape.since;
  shape.since = at;
}

void WaitBook::leave(JobId id, Job& job, SimTime at) {
  switch (job.where_) {
    case Where::nowhere:
      return;  // it runs, or has just been stopped for good
    case Where::held:
      add(job.waits_, Cause::held, at - job.since_);
      break;
    case Where::fresh:
      add(job.waits_, Cause::interval, at - job.since_);
      break;
    case Where::settled: {
      Shape& shape = shapes_[shape_of_[id].value];
      touch(shape, at);
      for (std::size_t c = 0; c < kCauses; ++c) job.waits_.by_cause[c] += shape.totals[c];
      break;
    }
  }
  job.where_ = Where::nowhere;
  job.waits_.in_all += at - job.since_;
  Duration sum{};
  for (const Duration d : job.waits_.by_cause) sum += d;
  MUSTER_CHECK(sum == job.waits_.in_all);
}

void WaitBook::close(JobId id, Job& job, SimTime end) {
  leave(id, job, end);
  if (job.waits_.in_all == Duration{}) return;
  for (std::size_t c = 0; c < kCauses; ++c) times_[c] += job.waits_.by_cause[c].count();
}

}  // namespace muster
