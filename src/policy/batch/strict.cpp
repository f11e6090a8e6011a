#include <utility>

#include "core.hpp"
#include "muster/policy/parts/shadow.hpp"
#include "quota_ahead.hpp"

namespace muster::batch {
namespace {

/// Strict order, greedy skipping, and EASY with its one promise: all need no plan of the future but
/// the head's earliest start.
class Strict final : public Backfill {
 public:
  void decide(Core& core, const View& view, Plan& plan) override {
    if (!view.ended.empty()) look_again(view);
    if (view.revised || core.calendar_changed()) shadow_.invalidate();
    Cause of_fitting = Cause::order;
    JobId head = kNoJob;
    std::size_t steps = 0;
    // Who is let pass may take what its queue's cap left for the head: then another one is the head.
    do {
      steps = plan.steps().size();
      head = start_heads(core, view, plan);
      if (head == kNoJob) {
        bound_ = nullptr;
        shadow_.invalidate();
        core.promise_to(view, kNoJob);
        core.explain(view, plan, [](ShapeId) { return Cause::quota; });
        return;
      }
      of_fitting = pass_by(core, view, plan, head);
    } while (plan.steps().size() > steps && !core.may_try(view, head));
    core.explain(view, plan, [&](ShapeId s) {
      return bound_ && *bound_ < core.queue().line(s).first() ? Cause::order : of_fitting;
    });
  }

  SimTime promised(const Core& core, JobId j) const override {
    return j == core.holder() ? core.promised_at() : kNever;
  }
  const Waiting* last_tried() const override { return bound_; }

 private:
  /// Starts who may go before the head; why those who would fit don't.
  Cause pass_by(Core& core, const View& view, Plan& plan, JobId head) {
    const Params& p = core.params();
    bound_ = nullptr;
    if (p.skip && !core.room_is_coming(head)) {
      fill(core, view, plan, kNever, head);
      core.pack(view, plan);
      return Cause::order;
    }
    if (p.backfill != BackfillKind::easy) return Cause::order;
    if (!core.backfills(view, plan)) return Cause::interval;
    const SimTime at = shadow_.compute(view, head, core.demand(view, head));
    if (head != core.holder() || !core.capped(view, head)) {
      core.promise_to(view, head, at);
      if (at != kNever) plan.promise(head, at);
    }
    fill(core, view, plan, at, head);
    return Cause::reservation;
  }

  /// A job that left earlier than predicted, or one that overran, may bring the head forward.
  void look_again(const View& view) {
    for (const RunningJob& r : view.ended)
      if (r.end != view.now) return shadow_.invalidate();
  }

  /// Starts jobs from the front while they fit or can make room; returns the first that can't.
  JobId start_heads(Core& core, const View& view, Plan& plan) {
    for (;;) {
      keep_place(core, view);
      const JobId head = core.head(view);
      if (core.reclaim_before(view, plan, head)) {
        shadow_.invalidate();
        continue;
      }
      if (head == kNoJob) return head;
      if (!core.try_start(view, plan, head)) {
        if (!core.make_room(view, plan, head) && !core.defragment(view, plan, head)) return head;
        shadow_.invalidate();
        if (!core.try_start(view, plan, head)) return head;  // its victims are in their grace time
      }
      shadow_.invalidate();  // it went ahead of whoever had the promise
    }
  }

  /// Those who were let pass may use what the quota of the promised job's queue leaves it: if that will be over
  /// by the promised time it goes on waiting in its place, and nobody else is the head.
  void keep_place(Core& core, const View& view) {
    const JobId holder = core.holder();
    if (!core.quota() || holder == kNoJob) return;
    bool stays = core.promised_at() != kNever && core.capped(view, holder);
    if (stays) {
      quota_.look(core, view, core.promised_at());
      stays = quota_.admits(core, view, holder);
    }
    core.let_holder_stay(stays);
  }

  void note_start(const View& view, const Plan& plan) {
    const RunningJob& r = plan.steps().back().running;
    shadow_.started(view, view.placements.of(r.job), view.demands[view.jobs.shape(r.job)].milli,
                    r.end);
  }

  /// Starts later jobs, best first, until none may. `shadow` = kNever: whoever fits.
  void fill(Core& core, const View& view, Plan& plan, SimTime shadow, JobId head) {
    const Params& p = core.params();
    WaitingQueue& queue = core.queue();
    if (p.depth > 0) {
      // The head itself is not a candidate: it stands in front, or behind capped jobs.
      const auto last = static_cast<std::size_t>(p.depth);
      bound_storage_ = queue.all().at(std::min(last, queue.size() - 1));
      bound_ = &bound_storage_;
    }
    const Duration until = shadow == kNever ? Duration::max() : shadow - view.now;
    for (;;) {
      std::optional<Waiting> best;
      for (const ShapeId s : queue.shapes()) {
        WaitingQueue::Line& line = queue.line(s);
        if (line.dead_in_pass == core.pass()) continue;
        const std::optional<Waiting> first = candidate(core, view, s, line, until);
        if (!first || (bound_ && *bound_ < *first)) continue;
        const bool better =
            !best || (p.candidates == Candidates::order ? *first < *best
                      : first->planned != best->planned ? first->planned < best->planned
                                                        : *first < *best);
        if (better) best = first;
      }
      if (!best) {
        if (!p.skip || !core.anyone_may_evict() || !make_room_behind(core, view, plan, head))
          return;
        // More may have been freed than was needed.
        for (const ShapeId s : queue.shapes()) queue.line(s).dead_in_pass = 0;
        continue;
      }
      const JobId job = best->job;
      if (best->planned > until) {
        // It may go on past the promise on these GPUs, and on no others: a placer that draws would
        // choose anew.
        const Demand& d = core.demand(view, job);
        WaitingQueue::Line& line = queue.line(view.jobs.shape(job));
        if (!core.placer().place(core.room(view, job), d, core.buffer())) {
          line.dead_in_pass = core.pass();
        } else if (!shadow_.leaves_room(view, core.buffer(), d.milli)) {
          line.judged_at = judgement(core);
          line.spare = false;
        } else {
          core.start(view, plan, job, core.buffer());
          note_start(view, plan);
        }
      } else if (core.try_start(view, plan, job)) {
        note_start(view, plan);
      } else {
        queue.line(view.jobs.shape(job)).dead_in_pass = core.pass();
      }
    }
  }

  /// The line's best job that may start now without moving the promise; nothing if none may.
  std::optional<Waiting> candidate(Core& core, const View& view, ShapeId s,
                                   WaitingQueue::Line& line, Duration until) {
    const Demand& d = view.demands[s];
    const bool in_order = core.params().candidates == Candidates::order;
    const bool fits = !core.capped_line(view, line) && core.fit_now(view, s) == Fit::yes;
    const Duration most = fits ? core.longest(view, s) : Duration{-1};
    if (most < Duration{}) {
      line.dead_in_pass = core.pass();
      return std::nullopt;
    }
    const auto first = [&](Duration longest) -> std::optional<Waiting> {
      if (in_order) return longest == Duration::max() ? line.first() : line.first_within(longest);
      const std::optional<Waiting> shortest = line.shortest();
      return shortest && shortest->planned <= longest ? shortest : std::nullopt;
    };
    if (until == Duration::max()) return first(most);
    return first(core.params().spare && spare(core, view, d, line) ? most : std::min(until, most));
  }

  /// Whether a job of this shape may run past the shadow time.
  bool spare(Core& core, const View& view, const Demand& d, WaitingQueue::Line& line) {
    return spares_gpus(core, view, d, line) && spares_quota(core, view, line.jobs.front().job);
  }
  bool spares_quota(Core& core, const View& view, JobId job) {
    const JobId holder = core.holder();
    if (!core.quota() || shadow_.at() == kNever || holder == kNoJob) return true;
    if (core.admits_beside(view, holder, job)) return true;  // and later on, too
    quota_.look(core, view, core.promised_at());
    return quota_.admits_beside(core, view, holder, job);
  }
  bool spares_gpus(Core& core, const View& view, const Demand& d, WaitingQueue::Line& line) {
    if (const auto known = shadow_.leaves_room_by_count(d)) return *known;
    if (line.judged_at != judgement(core)) {
      line.judged_at = judgement(core);
      const SimTime end =
          later(view.now, core.longest(view, view.jobs.shape(line.jobs.front().job)));
      line.spare =
          core.placer().place(core.rooms().until(view, end, core.stamp()), d, core.buffer()) &&
          shadow_.leaves_room(view, core.buffer(), d.milli);
    }
    return line.spare;
  }

  /// What is found out about a line holds while this number does: until the cluster changes, or the promise.
  std::uint64_t judgement(const Core& core) {
    const std::pair at{core.stamp(), shadow_.version()};
    if (at != judged_at_) {
      judged_at_ = at;
      ++judgement_;
    }
    return judgement_;
  }

  /// Greedy skipping with preemption: anyone may evict, not only the head.
  bool make_room_behind(Core& core, const View& view, Plan& plan, JobId head) {
    std::vector<JobId> waiting;
    core.queue().all().each([&](const Waiting& w) {
      if (w.job != head) waiting.push_back(w.job);
      return true;
    });
    for (const JobId j : waiting) {
      if (!core.may_try(view, j) || !core.make_room(view, plan, j)) continue;
      if (core.try_start(view, plan, j)) return true;
    }
    return false;
  }

  Shadow shadow_;
  std::pair<std::uint64_t, std::uint64_t> judged_at_{};  // the cluster, and the promise
  std::uint64_t judgement_ = 0;
  QuotaAhead quota_;
  const Waiting* bound_ = nullptr;  // with depth: the last job that may be tried
  Waiting bound_storage_;
};

}  // namespace

std::unique_ptr<Backfill> make_strict() { return std::make_unique<Strict>(); }

}  // namespace muster::batch
