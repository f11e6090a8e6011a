#pragma once
#include <memory>

#include "muster/core/int128.hpp"
#include "muster/engine/shared_storage.hpp"
#include "muster/engine/simulate.hpp"

namespace muster::test {

/// What storage that jobs share demands of a run, where they stop while they write: a job that got so much done
/// has written so many checkpoints on the way, none faster than alone, and all of them together are no more than
/// the storage can take.
class StorageJudge {
 public:
  StorageJudge(const Workload& workload, const std::shared_ptr<const OutagePlan>& plan)
      : w_(workload), storage_(plan ? plan->storage : nullptr) {}

  /// Who reads at the same time as others takes as long as it takes.
  bool reads_slowly() const { return storage_ != nullptr; }

  template <class Blame>
  void settle(const Record& r, Blame blame) {
    if (!storage_ || storage_->background || r.kept <= Duration{}) return;
    const SharedStorage::Job& job = storage_->jobs[r.job];
    const Duration interval = Workload::at_or(w_.checkpoint_interval, r.job, kUnknown);
    if (job.write == Duration{} || interval <= Duration{}) return;
    const std::int64_t written = (r.kept - Duration{1}) / interval;
    if (r.checkpoint < written * job.write) blame("writes faster than it could alone");
    moved_ += Int128{written} * job.write.count() * job.rate;
    if (moved_ > storage_->rate * (r.at - kStart).count())
      blame("writes more than the storage could have taken by then");
  }

 private:
  const Workload& w_;
  std::shared_ptr<const SharedStorage> storage_;
  Int128 moved_ = 0;
};

}  // namespace muster::test
