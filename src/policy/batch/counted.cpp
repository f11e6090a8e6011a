#include <optional>

#include "core.hpp"

namespace muster::batch {
namespace {

/// EASY whose promise is a number of GPUs even where nodes matter (promise = count): what simulators
/// do that took the rule for one-processor nodes over to gangs. Who goes is settled by number for
/// the whole queue first; those whose nodes turn out not to fit are passed over and protected by
/// nobody, so the head may start late. As in gpu_scheduler the promise looks at who ran when the pass began: whoever
/// starts in this pass counts as if it never ended, and where only they could make room nothing is promised, and
/// whoever fits passes. The engine counts these broken promises.
class Counted final : public Backfill {
 public:
  void decide(Core& core, const View& view, Plan& plan) override {
    chosen_.clear();
    head_ = kNoJob;
    at_ = kNever;
    last_tried_.reset();
    const auto depth = static_cast<std::size_t>(core.params().depth);
    std::size_t tried = 0;  // behind the head
    std::optional<Waiting> last;
    std::int64_t free = std::int64_t{view.cluster.free_gpus(view.cluster.whole_pools())} * 1000;
    for (std::size_t p = 0; p < view.cluster.pools(); ++p)
      if (view.cluster.mig(p)) free += view.cluster.free_milli(p);
    std::int64_t extra = 0;
    core.queue().all().each([&](const Waiting& w) {
      if (depth > 0 && head_ != kNoJob && tried++ == depth) {
        last_tried_ = last;
        return false;
      }
      last = w;
      const Demand& d = core.demand(view, w.job);
      if (core.capped(view, w.job)) return true;
      const bool ends_in_time = at_ == kNever || later(view.now, w.planned) <= at_;
      const std::int64_t need = counted(d);
      if (need <= free &&
          (head_ == kNoJob || ends_in_time || (core.params().spare && need <= extra))) {
        if (head_ != kNoJob && !ends_in_time) extra -= need;
        free -= need;
        chosen_.push_back(w.job);
      } else if (head_ == kNoJob) {
        head_ = w.job;
        extra = promise(view, need, free);
        if (at_ != kNever) plan.promise(head_, at_);
      }
      return free > 0 || head_ == kNoJob;
    });
    for (const JobId j : chosen_)
      if (!core.capped(view, j)) core.try_start(view, plan, j);  // those before it count
    core.explain(view, plan, [&](ShapeId s) {
      return last_tried_ && *last_tried_ < core.queue().line(s).first() ? Cause::order
                                                                        : Cause::reservation;
    });
  }

  SimTime promised(const Core&, JobId j) const override { return j == head_ ? at_ : kNever; }
  const Waiting* last_tried() const override { return last_tried_ ? &*last_tried_ : nullptr; }

 private:
  /// Thousandths of GPUs: a share of one counts as all of it, a MIG instance as its slots.
  static std::int64_t counted(const Demand& d) {
    return d.mig != 0 ? d.total_milli() : std::int64_t{d.gpus} * 1000;
  }

  /// Sets when `need` thousandths are free by the predicted ends; returns how many are left over then.
  std::int64_t promise(const View& view, std::int64_t need, std::int64_t free) {
    view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
      if (at_ != kNever && end > at_) return false;
      free += view.demands[view.jobs.shape(r.job)].mig != 0 ? r.milli : r.milli / 1000 * 1000;
      if (at_ == kNever && free >= need) at_ = end;
      return true;
    });
    return free - need;
  }

  std::vector<JobId> chosen_;
  JobId head_ = kNoJob;
  SimTime at_ = kNever;
  std::optional<Waiting> last_tried_;  // with `depth`, if others stand behind it
};

}  // namespace

std::unique_ptr<Backfill> make_counted() { return std::make_unique<Counted>(); }

}  // namespace muster::batch
