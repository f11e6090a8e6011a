#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core.hpp"

namespace muster::batch {
namespace {

/// Which GPUs are free from when: a list of steps, each with the free GPUs of every node.
class PinnedProfile {
 public:
  void reset(SimTime now, const std::vector<GpuMask>& free) { steps_.assign(1, {now, free}); }

  void change(SimTime from, SimTime to, std::span<const Slice> slices, bool take) {
    from = std::max(from, steps_.front().from);
    if (from >= to) return;
    const std::size_t first = cut(from);
    const std::size_t last = to == kNever ? steps_.size() : cut(to);
    for (std::size_t i = first; i < last; ++i)
      for (const Slice& s : slices)
        for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
          GpuMask& free = steps_[i].free[n];
          free = take ? free & ~s.gpus : free | s.gpus;
        }
  }

  /// The earliest time from `from` on at which `placer` finds room that stays free for `length`.
  /// `latest`: do not look beyond.
  std::optional<SimTime> earliest(SimTime from, SimTime latest, Duration length, const Demand& d,
                                  Placer& placer, Cluster& scratch, std::vector<Slice>& out) const {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const SimTime at = std::max(from, steps_[i].from);
      if (i + 1 < steps_.size() && steps_[i + 1].from <= at) continue;
      if (at > latest) return std::nullopt;
      std::vector<GpuMask>& common = common_;
      common = steps_[i].free;
      const SimTime end = later(at, length);
      for (std::size_t k = i + 1; k < steps_.size() && steps_[k].from < end; ++k)
        for (std::size_t n = 0; n < common.size(); ++n) common[n] &= steps_[k].free[n];
      std::uint32_t free = 0;
      for (const GpuMask m : common) free += count(m);
      if (free < d.least) continue;
      scratch.assign_free(common);
      if (placer.place(scratch, d, out)) return at;
    }
    return std::nullopt;
  }

 private:
  struct Step {
    SimTime from;
    std::vector<GpuMask> free;
  };
  std::size_t cut(SimTime t) {
    std::size_t i = steps_.size() - 1;
    while (steps_[i].from > t) --i;
    if (steps_[i].from == t) return i;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(i) + 1, {t, steps_[i].free});
    return i + 1;
  }
  std::vector<Step> steps_;
  mutable std::vector<GpuMask> common_;
};

/// Promises of identified GPUs (promise = pinned; batsched's and Fluxion's reading): what is promised
/// to a job is kept free for it, node by node. EASY pins the head (or the first `reservations`
/// jobs); conservative pins everyone, compressing or replanning as Planned does.
class Pinned final : public Backfill {
 public:
  void begin(const View& view) override {
    slots_.resize(view.jobs.size());
    scratch_.emplace(view.cluster);
  }

  void decide(Core& core, const View& view, Plan& plan) override {
    const Params& p = core.params();
    const bool conservative = p.backfill == BackfillKind::conservative;
    const bool keeps = conservative && p.conservative == ConservativeKind::compress;
    last_tried_.reset();
    // Who started leaves its place at the head to the next one, who may evict as well.
    bool news = true;
    for (std::uint64_t before = 0; news || core.stamp() != before; news = false) {
      before = core.stamp();
      make_room(core, view, plan);
      if (!news && core.stamp() == before) break;
      if (keeps)
        compress(core, view, plan, news);
      else
        replan(core, view, plan,
               conservative ? SIZE_MAX : static_cast<std::size_t>(p.reservations));
      if (!core.anyone_may_evict()) break;
    }
    const auto next = by_time_.upper_bound({view.now, kNoJob});
    if (next != by_time_.end() && !view.running.overrun(view.now))  // see Planned
      plan.wake_at(next->first);
    core.explain(view, plan, [&](ShapeId s) {
      return last_tried_ && *last_tried_ < core.queue().line(s).first() ? Cause::order
                                                                        : Cause::reservation;
    });
  }

  SimTime promised(const Core&, JobId j) const override { return slots_[j].at; }
  const Waiting* last_tried() const override { return last_tried_ ? &*last_tried_ : nullptr; }

 private:
  struct Slot {
    SimTime at = kNever;
    Duration length{};
    std::vector<Slice> where;
  };

  void make_room(Core& core, const View& view, Plan& plan) {
    while (core.preempts()) {
      const JobId head = core.head(view);
      if (head == kNoJob || fits(core.room(view, head), core.demand(view, head)) ||
          !core.make_room(view, plan, head) || !core.try_start(view, plan, head))
        return;
      forget(head);
    }
  }

  void lay_out(const View& view) {
    profile_.reset(view.now, view.cluster.free_masks());
    if (view.calendar) change_by_calendar(view, /*take=*/false);
    view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
      profile_.change(end, kNever, view.placements.of(r.job), false);
      return true;
    });
    if (view.calendar) change_by_calendar(view, /*take=*/true);
  }

  /// Nodes of outages in force are not free now and will be, but for what jobs still hold that may end
  /// there; those of all windows are not free in them.
  void change_by_calendar(const View& view, bool take) {
    std::map<std::uint32_t, GpuMask> held;
    if (!take && !view.calendar->empty())
      view.running.each([&](const RunningJob& r) {
        for (const Slice& s : view.placements.of(r.job))
          for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
            if (view.cluster.fenced(NodeId{n})) held[n] |= s.gpus;
        return true;
      });
    for (const Window& w : view.calendar->windows())
      for (const NodeId n : w.nodes) {
        Slice all{n, 1, first_gpus(view.fleet.nodes[n].gpus)};
        if (take) {
          profile_.change(w.from, w.to, {&all, 1}, true);
        } else if (view.cluster.fenced(n) && w.to != kNever) {
          if (const auto at = held.find(n.value); at != held.end()) all.gpus &= ~at->second;
          profile_.change(w.to, kNever, {&all, 1}, false);
        }
      }
  }

  void forget(JobId j) {
    if (slots_[j].at == kNever) return;
    by_time_.erase({slots_[j].at, j});
    slots_[j].at = kNever;
  }

  void replan(Core& core, const View& view, Plan& plan, std::size_t most) {
    while (!by_time_.empty()) forget(by_time_.begin()->second);
    lay_out(view);
    core.in_order(order_);
    // `depth` jobs are planned from the first on that has to wait; of EASY so many are tried behind the promises.
    const auto depth = static_cast<std::size_t>(core.params().depth);
    std::size_t tried = 0;
    std::optional<Waiting> last;
    for (const JobId j : order_) {
      if (depth > 0 && tried == depth) {
        last_tried_ = last;
        return;
      }
      last = core.queue().entry(j);
      const bool promises = by_time_.size() < most;
      if (core.plannable(view, j)) {
        if (promises)
          insert(core, view, plan, j, kNever);
        else
          start_if_now(core, view, plan, j);
      }
      if (most == SIZE_MAX ? !by_time_.empty() : !promises) ++tried;
    }
  }

  /// `news`: what has left since the last pass is not taken note of yet.
  void compress(Core& core, const View& view, Plan& plan, bool news) {
    for (const JobId j : view.left)
      if (news) forget(j);
    if (core.calendar_changed() && news)  // promises were made without it
      while (!by_time_.empty()) forget(by_time_.begin()->second);
    lay_out(view);
    for (const auto& [at, j] : by_time_)
      profile_.change(at, later(at, slots_[j].length), slots_[j].where, true);
    core.in_order(order_);
    if (view.ended.empty() && view.left.empty() && !core.calendar_changed()) {
      // Only additions: slots that have come, then the new jobs.
      for (const JobId j : order_)
        if (slots_[j].at <= view.now || slots_[j].at == kNever) move(core, view, plan, j);
    } else {
      for (const JobId j : order_) move(core, view, plan, j);
    }
  }

  void move(Core& core, const View& view, Plan& plan, JobId j) {
    const Slot before = slots_[j];
    if (before.at != kNever) {
      profile_.change(before.at, later(before.at, before.length), before.where, false);
      forget(j);
    }
    if (!core.plannable(view, j)) return;
    const bool due = before.at <= view.now;
    if (insert(core, view, plan, j, due ? view.now : before.at) || before.at == kNever) return;
    if (due) {  // its nodes are not free after all: the promise is broken
      insert(core, view, plan, j, kNever);
      return;
    }
    slots_[j] = before;
    by_time_.insert({before.at, j});
    profile_.change(before.at, later(before.at, before.length), before.where, true);
  }

  /// The earliest slot up to `latest`; started if that is now. False if there is none.
  bool insert(Core& core, const View& view, Plan& plan, JobId j, SimTime latest) {
    const Demand& d = core.demand(view, j);
    const Duration length = core.queue().entry(j).planned;
    const auto at =
        profile_.earliest(view.now, latest, length, d, core.placer(), *scratch_, found_);
    if (!at) return false;
    profile_.change(*at, later(*at, length), found_, true);
    if (*at == view.now && free_now(view, found_)) {
      core.start(view, plan, j, found_);
      return true;
    }
    if (d.span == Span::idle_nodes && d.gpus > d.widest) {
      // Its last node must be idle when it starts, not only free where it will be.
      profile_.change(*at, later(*at, length), found_, false);
      for (Slice& s : found_) s.gpus = first_gpus(view.fleet.nodes[s.first].gpus);
      profile_.change(*at, later(*at, length), found_, true);
    }
    slots_[j] = {*at, length, found_};
    by_time_.insert({*at, j});
    plan.promise(j, *at);
    return true;
  }

  void start_if_now(Core& core, const View& view, Plan& plan, JobId j) {
    const Demand& d = core.demand(view, j);
    if (view.cluster.free_gpus(d.pools) < d.least) return;
    const Duration length = core.queue().entry(j).planned;
    if (!profile_.earliest(view.now, view.now, length, d, core.placer(), *scratch_, found_) ||
        !free_now(view, found_))
      return;
    profile_.change(view.now, later(view.now, length), found_, true);
    core.start(view, plan, j, found_);
  }

  static bool free_now(const View& view, const std::vector<Slice>& slices) {
    for (const Slice& s : slices)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        if ((view.cluster.free(NodeId{n}) & s.gpus) != s.gpus) return false;
    return true;
  }

  PinnedProfile profile_;
  std::optional<Cluster> scratch_;
  IdVector<JobId, Slot> slots_;
  std::set<std::pair<SimTime, JobId>> by_time_;
  std::optional<Waiting> last_tried_;  // with `depth`, if others stand behind it
  std::vector<JobId> order_;
  std::vector<Slice> found_;
};

}  // namespace

std::unique_ptr<Backfill> make_pinned() { return std::make_unique<Pinned>(); }

}  // namespace muster::batch
