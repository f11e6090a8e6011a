// gpu_scheduler's EASY promises numbers where nodes decide, and breaks promises: how many, in which sense.

#include <algorithm>
#include <set>

#include "support/peers.hpp"
#include "support/wrapped_policy.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Two readings of "a promise to the head of the queue", followed beside a policy:
///   promised: the first job that does not fit by number, the one that the policy protects;
///   fronts:   whoever stands first as a pass begins, promised this very moment if it fits by number.
/// Neither is part of the other: who fits by number, but on no node, is a front and promised nothing.
class Promises final : public WrappedPolicy {
 public:
  struct Tally {
    std::map<JobId, SimTime> first;
    std::size_t late = 0;
    Duration worst{};
    void said(JobId j, SimTime at) { first.try_emplace(j, at); }
    void starts(JobId j, SimTime now) {
      const auto it = first.find(j);
      if (it == first.end() || now <= it->second) return;
      ++late;
      worst = std::max(worst, now - it->second);
    }
  };
  Tally promised, fronts;

  using WrappedPolicy::WrappedPolicy;
  void decide(const View& view, Plan& plan) override {
    waiting_.insert(view.joined.begin(), view.joined.end());
    if (!waiting_.empty()) fronts.said(*waiting_.begin(), by_number(view, *waiting_.begin()));
    WrappedPolicy::decide(view, plan);
    for (const Plan::Promise& p : plan.promises()) promised.said(p.job, p.at);
    for (const Plan::Step& s : plan.steps()) {
      waiting_.erase(s.job);
      promised.starts(s.job, view.now);
      fronts.starts(s.job, view.now);
    }
  }

 private:
  /// When as many GPUs are free as `j` wants.
  static SimTime by_number(const View& view, JobId j) {
    const std::int64_t need = view.demands[view.jobs.shape(j)].total_milli();
    std::int64_t free = view.cluster.free_milli(0);
    SimTime at = view.now;
    view.running.each_by_end(view.now, false, [&](const RunningJob& r, SimTime end) {
      if (free >= need) return false;
      free += r.milli;
      at = end;
      return true;
    });
    return at;
  }

  std::set<JobId> waiting_;  // in trace order, which is the order of the queue
};

}  // namespace

TEST_CASE("gpu_scheduler's EASY breaks 57 of 578 promises, and promise=time none") {
  const auto jobs = oracles() / "gpu/input/philly_5000.csv.gz";
  if (!present(jobs)) return;
  ReadOptions read;
  read.format = "gpu-list";
  const Workload w = read_trace(jobs, read).workload;
  const Fleet fleet = Fleet::uniform(32, 8);
  Observer nobody;

  Promises counted(
      policy("batch:estimates=perfect,span=idle_nodes,backfill=easy,promise=count,spare=false"));
  const RunSummary run = simulate(fleet, w, counted, {}, nobody);
  CHECK(counted.promised.first.size() == 578);
  CHECK(counted.promised.late == 57);
  CHECK(run.broken_promises == 57);
  CHECK(counted.promised.worst == 170'681s);
  // Counted as the notes to these schedules count: "60 of 2,204 heads".
  CHECK(counted.fronts.first.size() == 2'204);
  CHECK(counted.fronts.late == 60);
  CHECK(counted.fronts.worst == 170'681s);

  Promises timed(policy("batch:estimates=perfect,span=idle_nodes,backfill=easy"));
  CHECK(simulate(fleet, w, timed, {}, nobody).broken_promises == 0);
  CHECK(timed.promised.late == 0);
}
