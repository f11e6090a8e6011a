#include <algorithm>
#include <optional>
#include <set>

#include "ahead.hpp"
#include "core.hpp"
#include "muster/policy/parts/capacity.hpp"
#include "standing.hpp"

namespace muster::batch {
namespace {

/// Backfill by a plan (Mu'alem & Feitelson, TPDS 2001; CONVENTIONS C6): jobs get the earliest slot
/// that moves nobody ahead of them, and start when their slot begins. The plan is made anew in each pass; of EASY
/// only the first `reservations` jobs get a slot. In a long queue only as far as somebody could start; those
/// behind keep what they were promised, and whoever is due a promise stands behind that (Standing).
/// Slots are numbers of GPUs. Where a slot has come but its GPUs lie apart, the job keeps its
/// number and tries again at the next pass; such broken promises are counted by the engine.
class Planned final : public Backfill {
 public:
  void begin(const View& view) override {
    capacity_.begin(view);
    standing_.begin(view);
    planned_.assign(view.jobs.size(), kNever);
    length_.resize(view.jobs.size());
  }

  void decide(Core& core, const View& view, Plan& plan) override {
    preempt(core, view, plan);
    next_ = kNever;
    last_tried_.reset();
    replan(core, view, plan);
    // Where someone overruns, the next slots hang on an end that nobody can predict: it will come by
    // itself, and a pass each second until then would find nothing.
    if (next_ != kNever && !view.running.overrun(view.now)) plan.wake_at(next_);
    const Cause of_fitting =
        core.next_backfill(view) > view.now ? Cause::interval : Cause::reservation;
    core.explain(view, plan, [&](ShapeId s) {
      return last_tried_ && *last_tried_ < core.queue().line(s).first() ? Cause::order : of_fitting;
    });
  }

  SimTime promised(const Core&, JobId j) const override {
    return length_[j] == kBeyond ? kNever : planned_[j];
  }
  const Waiting* last_tried() const override { return last_tried_ ? &*last_tried_ : nullptr; }

 private:
  static constexpr Duration kBeyond{
      -1};  // instead of a slot's length: its time is beyond the window
  static constexpr std::size_t kLook = 16;  // jobs between two looks whether it is worth to go on
  static constexpr std::size_t kAnew =
      500;  // up to so many jobs are all planned anew for each newcomer

  /// Those in front start or make room, until one can do neither.
  void preempt(Core& core, const View& view, Plan& plan) {
    if (!core.preempts()) return;
    for (;;) {
      const JobId head = core.head(view);
      if (core.reclaim_before(view, plan, head)) {
        for (const Plan::Step& s : plan.steps()) planned_[s.job] = kNever;
        continue;
      }
      if (head == kNoJob) return;
      if (!fits(core.room(view, head), core.demand(view, head)) &&
          !core.make_room(view, plan, head))
        return;
      if (!core.try_start(view, plan, head)) return;
      planned_[head] = kNever;
    }
  }

  static bool promises_all(const Core& core) {
    return core.params().backfill == BackfillKind::conservative;
  }
  static std::size_t most_promises(const Core& core) {
    return promises_all(core) ? SIZE_MAX : static_cast<std::size_t>(core.params().reservations);
  }

  void replan(Core& core, const View& view, Plan& plan) {
    promised_ = 0;
    ahead_.begin(core);
    keep_standing(core, view);
    // Until somebody has to wait there is no plan to keep to: what is free now stays free, and whoever
    // fits starts. Most passes get no further.
    std::size_t i = 0;
    for (; ahead_.has(i); ++i) {
      if (core.plannable(view, ahead_[i]) && !try_start(core, view, plan, ahead_[i])) break;
      set_slot(core, view, ahead_[i], {});
    }
    if (!ahead_.has(i) || !core.backfills(view, plan)) return;
    capacity_.lay_out(view);
    const std::size_t end = look_as_far_as(core, i);
    const std::size_t needed = standing_.up() ? 0 : needed_plan(core, view, i, end);
    for (std::size_t seen = 0; i < end && ahead_.has(i) && promised_ < most_promises(core); ++i) {
      if (++seen % kLook == 0 && i >= needed && !anyone(core, view, core.queue().entry(ahead_[i])))
        return standing_.up() ? promise_the_rest(core, view, plan, i, end) : void();
      plan_anew(core, view, plan, ahead_[i]);
    }
    take_back_from(core, view, i);
    if (ahead_.has(i) && !promises_all(core)) fill(core, view, plan, i);
  }

  /// Where to stop if `ahead_[from]` is the first that has to wait: behind `depth` jobs.
  std::size_t look_as_far_as(Core& core, std::size_t from) {
    const auto depth = static_cast<std::size_t>(core.params().depth);
    if (!promises_all(core) || depth == 0) return SIZE_MAX;
    if (ahead_.has(from + depth)) last_tried_ = core.queue().entry(ahead_[from + depth - 1]);
    return from + depth;
  }

  /// The earliest slot behind those who were planned before it; started if that is now.
  void plan_anew(Core& core, const View& view, Plan& plan, JobId j) {
    const Demand& d = core.demand(view, j);
    const Duration length = core.queue().entry(j).planned;
    const SimTime at = core.plannable(view, j)
                           ? capacity_.of(d).earliest(view.now, d.total_milli(), length)
                           : kNever;
    if (at == kNever) return set_slot(core, view, j, {});
    // Without a calendar a slot comes with somebody's end, which is a pass anyway, or with the end of a job
    // whose own slot has come in vain and moves along with time: no pass is due then.
    if (at > view.now && view.calendar) next_ = std::min(next_, at);
    if (beyond(core, view, at)) return set_slot(core, view, j, {at, kBeyond});
    capacity_.plan(d, at, length, +1);
    if (at == view.now && try_start(core, view, plan, j)) {
      set_slot(core, view, j, {});
      capacity_.settle(view, d, plan.steps().back().running);
      return;
    }
    set_slot(core, view, j, {at, length});
    ++promised_;
    plan.promise(j, at);
  }

  /// Nobody is kept from taking the GPUs of a job that could start only then.
  static bool beyond(const Core& core, const View& view, SimTime at) {
    const Duration window = core.params().backfill_window;
    return window > Duration{} && at > later(view.now, window);
  }

  bool try_start(Core& core, const View& view, Plan& plan, JobId j) {
    if (!core.try_start(view, plan, j)) return false;
    standing_.started(view, plan.steps().back().running);
    return true;
  }

  void set_slot(Core& core, const View& view, JobId j, const Standing::Slot& slot) {
    standing_.change(core.demand(view, j), {planned_[j], length_[j]}, slot);
    if ((planned_[j] == kNever) != (slot.at == kNever)) {
      if (slot.at == kNever)
        holders_.erase(j);
      else
        holders_.insert(j);
    }
    planned_[j] = slot.at;
    length_[j] = slot.length;
  }

  /// `ahead_[i]` and whoever stands behind it have no slot any more.
  void take_back_from(Core& core, const View& view, std::size_t i) {
    if (!ahead_.has(i)) return;
    const Waiting from = core.queue().entry(ahead_[i]);
    std::vector<JobId> behind;
    for (const JobId j : holders_)
      if (planned_[j] != kNever && j != core.awaited() && !(core.queue().entry(j) < from))
        behind.push_back(j);
    for (const JobId j : behind) set_slot(core, view, j, {});
  }

  /// Takes note of what has happened since the last pass, if the queue is long enough for a plan that stands.
  void keep_standing(Core& core, const View& view) {
    const bool keep = core.queue().size() > kAnew && !view.calendar && !core.preempts();
    const bool anew = !standing_.up() || view.revised;
    if (!keep || anew)
      standing_.drop();
    else
      standing_.advance(view);
    for (const JobId j : view.left) set_slot(core, view, j, {});
    if (!keep || !anew) return;
    standing_.lay_out(view);
    core.queue().all().each([&](const Waiting& w) {
      standing_.change(core.demand(view, w.job), {}, {planned_[w.job], length_[w.job]});
      return true;
    });
  }

  /// From `ahead_[i]` on who has a promise keeps it, and who is due one stands behind all of them.
  void promise_the_rest(Core& core, const View& view, Plan& plan, std::size_t i, std::size_t end) {
    for (; i < end && ahead_.has(i) && promised_ < most_promises(core); ++i) {
      const JobId j = ahead_[i];
      if (!core.plannable(view, j)) {
        set_slot(core, view, j, {});
        continue;
      }
      if (planned_[j] == kNever) promise_behind(core, view, plan, j);
      if (length_[j] != kBeyond) ++promised_;
    }
    take_back_from(core, view, i);
  }

  void promise_behind(Core& core, const View& view, Plan& plan, JobId j) {
    const Duration length = core.queue().entry(j).planned;
    const SimTime at = standing_.earliest(view, core.demand(view, j), length);
    const bool too_late = at != kNever && beyond(core, view, at);
    set_slot(core, view, j, {at, too_late ? kBeyond : length});
    if (at != kNever && !too_late) plan.promise(j, at);
  }

  /// How many of `ahead_` have to be planned whether anybody can start or not: up to the last one to whom nothing
  /// was promised yet. (With a calendar slots ask for passes, and all are needed.)
  std::size_t needed_plan(Core& core, const View& view, std::size_t i, std::size_t end) {
    const std::size_t most = most_promises(core);
    if (view.calendar || (most != SIZE_MAX && ahead_.has(i + most))) return SIZE_MAX;
    std::size_t needed = i;
    for (; i < end && ahead_.has(i); ++i)
      if (planned_[ahead_[i]] == kNever) needed = i + 1;
    return needed;
  }

  /// Whether anybody from `from` on could start now. If not, the plan beyond is what was promised before, or a little
  /// off that: it is made anew when somebody can, or has to be promised something.
  bool anyone(Core& core, const View& view, const Waiting& from) {
    for (const ShapeId s : core.queue().shapes())
      if (const std::optional<Waiting> w = candidate(core, view, s, from);
          w && !(last_tried_ && *last_tried_ < *w))
        return true;
    return false;
  }

  /// Starts jobs from `ahead_[first]` on that have no promise and are in nobody's way, in queue order.
  void fill(Core& core, const View& view, Plan& plan, std::size_t first) {
    const auto depth = static_cast<std::size_t>(core.params().depth);
    const Waiting from = core.queue().entry(ahead_[first]);
    std::optional<Waiting> behind;  // the first that is not tried any more
    if (depth > 0 && ahead_.has(first + depth)) behind = core.queue().entry(ahead_[first + depth]);
    for (;;) {
      std::optional<Waiting> best;
      for (const ShapeId s : core.queue().shapes()) {
        const std::optional<Waiting> w = candidate(core, view, s, from);
        if (w && (!behind || *w < *behind) && (!best || *w < *best)) best = w;
      }
      if (!best) return;
      const Waiting w = *best;
      if (core.try_start(view, plan, w.job))
        capacity_.run(view, plan.steps().back().running, view.now, later(view.now, w.planned), +1);
      else
        core.queue().line(view.jobs.shape(w.job)).dead_in_pass = core.pass();
    }
  }

  /// The first job of this shape from `from` on that would end before its GPUs are promised to others.
  std::optional<Waiting> candidate(Core& core, const View& view, ShapeId s, const Waiting& from) {
    WaitingQueue::Line& line = core.queue().line(s);
    if (line.dead_in_pass == core.pass()) return std::nullopt;
    const Demand& d = view.demands[s];
    const bool fits = !core.capped_line(view, line) && !core.hopeless(view, s) &&
                      core.fit_now(view, s) == Fit::yes;
    const Duration most =
        fits ? std::min(core.longest(view, s), capacity_.of(d).longest(view.now, d.total_milli()))
             : Duration{-1};
    if (most >= Duration{}) return line.first_within(most, &from);
    line.dead_in_pass = core.pass();
    return std::nullopt;
  }

  Capacity capacity_;
  Standing standing_;
  Ahead ahead_;
  std::optional<Waiting> last_tried_;  // with `depth`, if others stand behind it
  std::set<JobId> holders_;            // who has a slot, or had one until it started
  IdVector<JobId, SimTime> planned_;
  IdVector<JobId, Duration> length_;  // of the slot
  std::size_t promised_ = 0;          // how many have a slot
  SimTime next_ = kNever;             // the first slot that is not due yet
};

}  // namespace

std::unique_ptr<Backfill> make_planned() { return std::make_unique<Planned>(); }

}  // namespace muster::batch
