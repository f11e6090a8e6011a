#pragma once
// The ledgers one at a time, each with a table of jobs such as JobBook keeps for all of them.
#include <map>

#include "muster/core/job_slots.hpp"
#include "muster/ledger/gpu_book.hpp"
#include "muster/ledger/wait_book.hpp"
#include "unit/ledger/world.hpp"

namespace muster::test {

class LoneGpuBook final : public GpuBook, public Observer {
 public:
  explicit LoneGpuBook(const World& world)
      : GpuBook(world.fleet, world.jobs, world.demands), jobs_(world.jobs.size()) {}

  void on(const Record& r) override {
    Job* job = r.what == Record::What::submit ? &jobs_.open(r.job) : jobs_.find(r.job);
    if (job == nullptr) return;
    GpuBook::on(r, *job);
    if (r.what == Record::What::end || r.what == Record::What::reject) jobs_.close(r.job);
  }
  void decided(const Decision& d) override { GpuBook::decided(d); }

  void settle(SimTime end) {
    end_window(end);
    for (std::uint32_t j = 0; j < jobs_.size(); ++j)
      if (Job* job = jobs_.find(JobId{j})) accounts_[JobId{j}] = GpuBook::settle(JobId{j}, *job);
  }
  void close(SimTime end) {
    settle(end);
    prove();
  }
  /// Of a job that was still in the system at the end; zero of one that was never submitted.
  JobGpuTime account(JobId j) const {
    const auto found = accounts_.find(j);
    return found == accounts_.end() ? JobGpuTime{} : found->second;
  }

 private:
  JobSlots<Job> jobs_;
  std::map<JobId, JobGpuTime> accounts_;
};

class LoneWaitBook final : public WaitBook, public Observer {
 public:
  explicit LoneWaitBook(const World& world) : WaitBook(world.jobs), jobs_(world.jobs.size()) {}

  void on(const Record& r) override {
    Job* job = r.what == Record::What::submit ? &jobs_.open(r.job) : jobs_.find(r.job);
    if (job == nullptr) return;
    WaitBook::on(r, *job);
    if (r.what != Record::What::end && r.what != Record::What::reject) return;
    ended_ = job->waits();
    jobs_.close(r.job);
  }
  void decided(const Decision& d) override {
    WaitBook::decided(d, [&](JobId j) { return jobs_.find(j); });
  }
  void close(SimTime end) {
    for (std::uint32_t j = 0; j < jobs_.size(); ++j)
      if (Job* job = jobs_.find(JobId{j})) WaitBook::close(JobId{j}, *job, end);
  }
  /// Of the job whose end was the last one.
  const Waits& ended() const { return ended_; }
  /// Of a job that was still in the system at the end; zero of one that was never submitted.
  Waits waits(JobId j) const {
    const Job* job = jobs_.find(j);
    return job == nullptr ? Waits{} : job->waits();
  }

 private:
  JobSlots<Job> jobs_;
  Waits ended_;
};

}  // namespace muster::test
