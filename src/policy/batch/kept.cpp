#include <algorithm>
#include <set>

#include "core.hpp"
#include "muster/policy/parts/capacity.hpp"

namespace muster::batch {
namespace {

/// Conservative backfill that keeps its promises (conservative = compress; Mu'alem & Feitelson, TPDS 2001):
/// everybody gets the earliest slot that moves nobody who has one, and starts when it begins. When GPUs come back
/// early, one sweep in queue order moves each job to the earliest slot it can get, never later. Slots are numbers
/// of GPUs, as in Planned.
class Kept final : public Backfill {
 public:
  void begin(const View& view) override {
    capacity_.begin(view);
    planned_.assign(view.jobs.size(), kNever);
    length_.resize(view.jobs.size());
  }

  void decide(Core& core, const View& view, Plan& plan) override {
    // The plan assumes that predicted ends hold: preemption and overruns need a new one.
    stale_ |= view.revised;
    if (core.calendar_changed()) {  // promises were made without it
      for (const auto& [at, job] : slots_) planned_[job] = kNever;
      slots_.clear();
      stale_ = true;
    }
    // Who started leaves its place at the head to the next one, who may evict as well.
    std::uint64_t before = 0;
    bool news = true;
    do {
      before = core.stamp();
      preempt(core, view, plan);
      if (news || stale_) compress(core, view, plan, news);
      news = false;
    } while (core.anyone_may_evict() && core.stamp() != before);
    // Where someone overruns, the next slots hang on an end that nobody can predict: it will come by
    // itself, and a pass each second until then would find nothing.
    const auto next = slots_.upper_bound({view.now, kNoJob});
    if (next != slots_.end() && !view.running.overrun(view.now)) plan.wake_at(next->first);
    core.explain(view, plan, [](ShapeId) { return Cause::reservation; });
  }

  SimTime promised(const Core&, JobId j) const override { return planned_[j]; }

 private:
  using Slot = std::pair<SimTime, JobId>;

  /// Those in front make room and start, until one can't, or fits: then its slot says whether it starts.
  void preempt(Core& core, const View& view, Plan& plan) {
    if (!core.preempts()) return;
    for (;;) {
      const JobId head = core.head(view);
      if (core.reclaim_before(view, plan, head)) {
        stale_ = true;
        for (const Plan::Step& s : plan.steps()) forget(s.job);
        continue;
      }
      if (head == kNoJob || fits(core.room(view, head), core.demand(view, head))) return;
      if (!core.make_room(view, plan, head)) return;
      stale_ = true;
      if (!core.try_start(view, plan, head)) return;
      forget(head);
    }
  }

  void give_slot(Plan& plan, JobId j, SimTime at) {
    planned_[j] = at;
    slots_.insert({at, j});
    plan.promise(j, at);
  }
  void forget(JobId j) {
    if (planned_[j] == kNever) return;
    slots_.erase({planned_[j], j});
    planned_[j] = kNever;
  }

  /// `news`: what has ended and left since the last pass is not in the plan yet.
  void compress(Core& core, const View& view, Plan& plan, bool news) {
    capacity_.advance(view.now);
    const bool overrun = view.running.overrun(view.now) && !view.by_event;
    bool freed = news && note(core, view);
    if (stale_ || overrun || overran_) {
      rebuild(core, view);
      freed = true;
    }
    overran_ = overrun;
    // A sweep after an end that brought nothing back could move nobody, if the last one moved nobody.
    // With caps any end may let a job of that queue in, which has no slot yet.
    worth_a_sweep_ |= freed || (core.quota() && !view.ended.empty());
    const bool left = !view.ended.empty() || !view.left.empty() || stale_;
    stale_ = false;
    if (left && worth_a_sweep_) {
      sweep(core, view, plan);
    } else {
      for (const JobId j : view.joined)
        if (!core.tied(view, j)) insert(core, view, plan, j, kNever);
      start_due(core, view, plan);
    }
  }

  /// Takes early ends and withdrawn jobs out of the plan; true if any GPU time came back.
  bool note(Core& core, const View& view) {
    bool freed = false;
    for (const RunningJob& r : view.ended)
      if (r.end > view.now && !core.tied(view, r.job)) {
        capacity_.run(view, r, view.now, r.end, -1);
        freed = true;
      }
    for (const JobId j : view.left) {
      if (planned_[j] == kNever) continue;
      capacity_.plan(core.demand(view, j), planned_[j], length_[j], -1);
      forget(j);
      freed = true;
    }
    return freed;
  }

  /// The profile from what runs and what is promised.
  void rebuild(Core& core, const View& view) {
    capacity_.lay_out(view);
    for (const auto& [at, job] : slots_)
      capacity_.plan(core.demand(view, job), at, length_[job], +1);
  }

  /// One pass in queue order over all waiting jobs; new ones stand in their place among them.
  void sweep(Core& core, const View& view, Plan& plan) {
    worth_a_sweep_ = false;
    core.in_order(order_);
    for (const JobId j : order_) {
      const SimTime before = planned_[j];
      if (before != kNever) {
        capacity_.plan(core.demand(view, j), before, length_[j], -1);
        forget(j);
      }
      insert(core, view, plan, j, before);
      if (before != kNever && planned_[j] != before) worth_a_sweep_ = true;
    }
  }

  /// The earliest slot, not later than `latest`; started if that is now.
  void insert(Core& core, const View& view, Plan& plan, JobId j, SimTime latest) {
    const Demand& d = core.demand(view, j);
    const Duration length = core.queue().entry(j).planned;
    SimTime at = !core.plannable(view, j)
                     ? kNever
                     : capacity_.of(d).earliest(view.now, d.total_milli(), length);
    if (latest != kNever) at = std::min(at, std::max(latest, view.now));
    if (at == kNever) return;
    capacity_.plan(d, at, length, +1);
    if (at == view.now && !core.capped(view, j) && core.try_start(view, plan, j)) {
      capacity_.settle(view, d, plan.steps().back().running);
      return;
    }
    length_[j] = length;
    give_slot(plan, j, at);
  }

  void start_due(Core& core, const View& view, Plan& plan) {
    due_.clear();
    for (auto it = slots_.begin(); it != slots_.end() && it->first <= view.now; ++it)
      due_.push_back(it->second);
    std::sort(due_.begin(), due_.end(),
              [&](JobId a, JobId b) { return core.queue().entry(a) < core.queue().entry(b); });
    for (const JobId j : due_) {
      capacity_.plan(core.demand(view, j), planned_[j], length_[j], -1);
      const SimTime before = planned_[j];
      forget(j);
      insert(core, view, plan, j, before);
    }
  }

  Capacity capacity_;
  IdVector<JobId, SimTime> planned_;
  IdVector<JobId, Duration> length_;  // of the slot
  std::set<Slot> slots_;
  std::vector<JobId> order_, due_;
  bool worth_a_sweep_ = false;  // GPU time came back, or the last sweep moved someone
  bool stale_ = false;          // the profile must be made anew
  bool overran_ = false;
};

}  // namespace

std::unique_ptr<Backfill> make_kept() { return std::make_unique<Kept>(); }

}  // namespace muster::batch
