#include "core.hpp"

#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/core/multiples.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/parts/predictor.hpp"
#include "muster/policy/parts/price.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::ranked {

Core::Core(const Params& params) : params_(params) {
  if (params.rank_options.quantum < Duration{})
    throw InputError("/policy/quantum", "expected a time of 0 or more", "for example quantum=60s");
  if (params.migrate && params.cutting.span != Span::any)
    throw InputError("/policy/migrate",
                     "goes with span=any: nobody else is spread over more "
                     "nodes than it needs",
                     "span=any,migrate=true");
  check_price("move_cost", params.move_cost);
  if (params.packing.any() && params.preemption == PreemptMode::requeue)
    throw InputError("/policy/preemption", "requeue does not go with pack_capacity",
                     "who comes beside a job finds it at a checkpoint: suspend, or checkpoint");
  if (params.packing.any()) packing_.emplace(params.packing);
  if (params.patience.any() && !params.backfill)
    throw InputError(params.patience.leaf > Duration{} ? "/policy/delay_leaf" : "/policy/delay_pod",
                     "goes with backfill=true: others start while a job waits for a better place",
                     "backfill=true,delay_leaf=10min");
  if (params.patience.any()) patience_.emplace(params.patience);
  rank_ = Ranks::all().at(params.rank).make(params.rank_options);
  if (!by_estimates()) refuse_idle_estimate(params.planning, "rank=" + params.rank);
}

Planning Core::planning() const {
  Planning p = with_predictor(params_.planning);
  p.by_estimates = by_estimates();
  return p;
}

std::unique_ptr<Placer> Core::make_placer(std::uint64_t seed) const {
  return Placers::all().at(params_.placer).make(seed);
}

void Core::begin(const View& view, std::uint64_t seed) {
  placer_ = make_placer(seed);
  roster_.begin(view.jobs.size());
  waiting_.begin(view.demands.size());
  empty_.emplace(view.cluster);
  if (packing_) packing_->begin(view);
  if (!packing_ && FreeCounts::enough(view.fleet, view.demands))
    free_counts_.emplace().begin(view.fleet);
}

std::optional<Rejection> Core::refuse(const View& view, JobId j) {
  if (auto rejection = never_fits(view, *empty_, j)) return rejection;
  placer_->submitted(demand(view, j), view.fleet);
  if (patience_ && hoped_.insert(view.jobs.shape(j)).second)
    patience_->learn(view.jobs.shape(j), demand(view, j), *empty_);
  return std::nullopt;
}

void Core::decide(const View& view, Plan& plan) {
  absorb(view);
  if (packing_) packing_->warn(plan);
  if (packing_) part_those_that_hurt(view, plan);
  walk(view, plan);
  if (packing_ && waiting_.empty()) spread_pairs(view, plan);
  if (!spread_.empty() && !view.ended.empty()) bring_together(view, plan);
  explain_shapes(view, plan);
  ask_for_the_next_pass(view, plan);
  ++pass_;
}

void Core::absorb(const View& view) {
  for (const RunningJob& r : view.ended) note_ended(view, r.job);
  for (const JobId j : view.left) {
    leave(roster_.of(j));
    roster_.remove(j);
    if (patience_) patience_->gone(j);
  }
  for (const JobId j : view.joined) note_joined(view, j);
  // Those that have not come back from their grace time have ended for good.
  for (const RunningJob& r : view.ended) {
    if (!roster_.has(r.job) || roster_.of(r.job).state != Roster::State::gone) continue;
    rank_->ended(Roster::standing(roster_.of(r.job), view));
    roster_.remove(r.job);
  }
  if (rank_->refresh())
    roster_.each([&](Roster::Entry& e) {
      if (e.state != Roster::State::leaving) rank_anew(view, e);
    });
  while (!looks_.empty() && looks_.front().first <= view.now)
    rank_anew(view, roster_.of(looks_.front().second));
}

void Core::note_ended(const View& view, JobId j) {
  Roster::Entry& e = roster_.of(j);
  leave(e);
  if (packing_) packing_->stopped(view, j);
  note_spread(e, false);
  if (e.by != kNoJob && roster_.has(e.by)) --roster_.of(e.by).coming;
  e.by = kNoJob;
  Roster::settle(e, view.now);
  e.state = Roster::State::gone;
}

void Core::note_joined(const View& view, JobId j) {
  if (patience_ && !roster_.has(j)) patience_->joined(j, view.jobs.shape(j), view.now);
  Roster::Entry& e = roster_.has(j) ? roster_.of(j) : roster_.add(j);
  e.state = Roster::State::waiting;
  e.shape = view.jobs.shape(j);
  e.milli = demand(view, j).total_milli();
  e.since = view.now;
  enter(view, e);
}

void Core::rank_anew(const View& view, Roster::Entry& e) {
  leave(e);
  enter(view, e);
}

/// Takes its place by rank.
void Core::enter(const View& view, Roster::Entry& e) {
  const SimTime guarded_until = e.runs() ? later(e.since, params_.rank_options.quantum) : view.now;
  if (view.now < guarded_until) {
    e.state = Roster::State::guarded;
    e.look = guarded_until;
  } else {
    if (e.runs()) e.state = Roster::State::running;
    const RankKey key = rank_->key(Roster::standing(e, view), view.now);
    e.rung = {key.value, key.tie, e.milli, e.job};
    e.growth = key.growth;
    e.look = key.until;
    if (e.runs()) {
      ladder_.insert(e.rung, e.growth, view.now);
      e.rung = Ladder::at_zero(e.rung, e.growth, view.now);
    } else {
      waiting_.insert(e.shape, e.rung);
    }
  }
  if (e.look != kNever) looks_.insert({e.look, e.job});
}

/// Gives up its place by rank.
void Core::leave(Roster::Entry& e) {
  if (e.look != kNever) looks_.erase({e.look, e.job});
  e.look = kNever;
  if (e.state == Roster::State::waiting) waiting_.erase(e.shape, e.rung);
  if (e.state == Roster::State::running) ladder_.erase(e.rung, e.growth);
}

/// The first of each shape. `all` = false: without those that do not fit and rank below everybody
/// whose room they could take.
void Core::collect_heads(const View& view, bool all) {
  heads_.clear();
  for (const ShapeId s : waiting_.shapes()) {
    const WaitingRungs::Line& line = waiting_.line(s);
    if (line.dead_in_pass == pass_) continue;
    const Rung& first = line.jobs.front();
    if (all || fits(view.cluster, view.demands[s]) || ladder_.any_below(first, view.now) ||
        roster_.of(first.job).coming > 0 || (packing_ && packing_->has_hosts()))
      heads_.push_back({first, s});
  }
  std::make_heap(heads_.begin(), heads_.end());
}

void Core::push_head(ShapeId shape) {
  const WaitingRungs::Line& line = waiting_.line(shape);
  if (line.jobs.empty()) return;
  heads_.push_back({line.jobs.front(), shape});
  std::push_heap(heads_.begin(), heads_.end());
}

/// Behind one that still insists, the first of its shape that is content with more. False: there is none.
bool Core::push_less_particular(const View& view, const Head& head) {
  const Level insists = stance(view, head.rung.job).first;
  if (insists == Level::fleet) return false;
  for (const Rungs::Block& block : waiting_.line(head.shape).jobs.blocks())
    for (const Rung& r : block.items()) {
      if (r < head.rung || stance(view, r.job).first <= insists) continue;
      heads_.push_back({r, head.shape});
      std::push_heap(heads_.begin(), heads_.end());
      return true;
    }
  return false;
}

void Core::walk(const View& view, Plan& plan) {
  // With delays room may be coming for a job that is not the first of its shape.
  collect_heads(view, !params_.backfill || patience_);
  while (!heads_.empty()) {
    std::pop_heap(heads_.begin(), heads_.end());
    const Head head = heads_.back();
    heads_.pop_back();
    const JobId j = head.rung.job;
    if (try_start(view, plan, j)) {
      push_head(head.shape);
      continue;
    }
    // What is on its way out makes room for this one: nobody behind it may take any of that.
    const bool awaited = roster_.of(j).coming > 0;
    const Room room = awaited ? Room::coming : make_room(view, plan, j);
    if (room == Room::coming) {
      if (awaited || !patience_) return;
      collect_heads(view, true);  // what is free already may be what a better one insists on
      continue;
    }
    if (room == Room::none && packing_ && try_pack(view, plan, j)) {
      push_head(head.shape);
      continue;
    }
    if (room == Room::none) {
      if (push_less_particular(view, head)) continue;
      // Who insists has asked nobody to make room: what others don't need of theirs may do for it.
      WaitingRungs::Line& line = waiting_.line(head.shape);
      if (stance(view, line.jobs.front().job).first == Level::fleet) line.dead_in_pass = pass_;
      if (!params_.backfill) return;
      continue;
    }
    MUSTER_CHECK(try_start(view, plan, j));
    collect_heads(view, true);  // with the victims, and with those whom what is left over fits
  }
}

bool Core::try_start(const View& view, Plan& plan, JobId j) {
  if (!find_place(view, j)) return false;
  plan.start(j, slices_);
  placer_->started();
  if (packing_) packing_->started(view, j);
  if (params_.migrate && spread(view, j)) note_spread(roster_.of(j), true);
  note_run(view, plan, j);
  return true;
}

/// What the last step of the plan, its start, changes.
void Core::note_run(const View& view, const Plan& plan, JobId j) {
  const RunningJob& r = plan.steps().back().running;
  Roster::Entry& e = roster_.of(j);
  leave(e);
  if (patience_) patience_->gone(j);
  Roster::settle(e, view.now);
  e.state = Roster::State::running;
  // Ranks go by work, wherever it is done: else two jobs could take turns on a slow type for ever.
  const Speed speed = view.jobs.speed(j, view.placements.of(j));
  e.end = speed.num == speed.den ? r.end : later(view.now, view.jobs.planned(j));
  e.milli = r.milli;
  if (e.first_start == kNever) e.first_start = view.now;
  enter(view, e);
}

/// Whether there are as many GPUs as it needs at least, with those of all who rank below.
bool Core::enough_by_number(const View& view, const Rung& rung, const Demand& d) {
  return std::int64_t{view.cluster.free_gpus(~PoolMask{0})} * 1000 +
             ladder_.milli_below(rung, view.now) >=
         std::int64_t{d.least} * 1000;
}

/// Room for `j` at the expense of those who rank below it.
Core::Room Core::make_room(const View& view, Plan& plan, JobId j) {
  const Rung rung = roster_.of(j).rung;
  const Demand& d = demand(view, j);
  if (stance(view, j).first < Level::fleet || !ladder_.any_below(rung, view.now)) return Room::none;
  if (d.milli == 1000 && !enough_by_number(view, rung, d)) return Room::none;
  if (!choose_victims(view, plan, rung, d)) return Room::none;
  return evict(view, plan, j);
}

/// The last in rank first, until there is room; who turns out not to be needed is let off, the best
/// first. Leaves nobody lifted.
template <class WhatIf>
bool Core::choose_from_last(const View& view, const Rung& rung, WhatIf what_if) {
  everyone_.clear();
  victims_.clear();
  bool found = false;
  ladder_.from_last(view.now, [&](const Rung& r) {
    if (!outranked(r, rung)) return false;
    what_if.lift(r.job);
    everyone_.push_back(r.job);
    found = what_if.fits();
    return !found;
  });
  for (std::size_t i = everyone_.size(); i-- > 0;) {
    what_if.put_back(everyone_[i]);
    if (!found || what_if.fits()) continue;
    what_if.lift(everyone_[i]);
    victims_.push_back(everyone_[i]);
  }
  for (const JobId v : victims_) what_if.put_back(v);
  return found;
}

bool Core::choose_victims(const View& view, Plan& plan, const Rung& rung, const Demand& d) {
  struct OnCluster {
    const View& view;
    Plan& plan;
    const Demand& d;
    void lift(JobId j) { plan.lift(j); }
    void put_back(JobId j) { plan.put_back(j); }
    bool fits() const { return muster::fits(view.cluster, d); }
  };
  if (!free_counts_ || !FreeCounts::enough(d))
    return choose_from_last(view, rung, OnCluster{view, plan, d});
  // Most gangs look in vain: there would be GPUs enough, but no whole nodes. Whoever ranks lower could make even
  // fewer go, and whatever starts or stops in this pass meanwhile is among them: one look does for all of them.
  if (in_vain_ && in_vain_->pass == pass_ && !(rung < in_vain_->rung) &&
      !free_counts_->would_fit(d))
    return false;
  if (!free_counts_->match(view.cluster))
    return choose_from_last(view, rung, OnCluster{view, plan, d});
  return choose_by_number(view, rung, d);
}

bool Core::choose_by_number(const View& view, const Rung& rung, const Demand& d) {
  struct ByNumber {
    const View& view;
    FreeCounts& counts;
    const Demand& d;
    void lift(JobId j) { counts.give_back(view.placements.of(j)); }
    void put_back(JobId j) { counts.take(view.placements.of(j)); }
    bool fits() const { return counts.fits(d); }
  };
  // Whether all of them together would do, first: that is soon found out, and mostly not so.
  free_counts_->begin_to_suppose();
  ladder_.each_below(rung, view.now, [&](const Rung& r) {
    free_counts_->suppose_given_back(view.placements.of(r.job));
  });
  free_counts_->sum_up_supposed();
  if (!free_counts_->supposed_fits(d)) {
    free_counts_->remember();
    in_vain_ = InVain{pass_, rung};
    return false;
  }
  return choose_from_last(view, rung, ByNumber{view, *free_counts_, d});
}

Core::Room Core::evict(const View& view, Plan& plan, JobId by) {
  Room room = Room::now;
  for (const JobId v : victims_) {
    Roster::Entry& e = roster_.of(v);
    leave(e);
    if (!plan.preempt(v, by, params_.preemption)) {
      e.state = Roster::State::leaving;
      e.by = by;
      ++roster_.of(by).coming;
      room = Room::coming;
      continue;
    }
    if (packing_) packing_->stopped(view, v);
    note_spread(e, false);
    Roster::settle(e, view.now);
    e.state = Roster::State::waiting;
    e.milli = demand(view, v).total_milli();
    enter(view, e);
  }
  return room;
}

void Core::explain_shapes(const View& view, Plan& plan) {
  for (const ShapeId s : waiting_.shapes()) {
    WaitingRungs::Line& line = waiting_.line(s);
    const Fit f = fit(view.cluster, view.demands[s]);
    const bool kept = kept_by_delay(view, line.jobs.front().job, f);
    line.say(plan, s, kept ? Cause::topology : cause_of_misfit(f));
  }
}

bool Core::kept_by_delay(const View& view, JobId j, Fit fit) {
  if (stance(view, j).first == Level::fleet) return false;
  return fit == Fit::yes || enough_by_number(view, roster_.of(j).rung, demand(view, j));
}

/// Ranks may change, quanta end, and it becomes known how jobs side by side get on, without anything
/// happening.
void Core::ask_for_the_next_pass(const View& view, Plan& plan) {
  SimTime next = to_judge_.empty() ? kNever : to_judge_.begin()->first;
  if (!waiting_.empty()) {
    if (!looks_.empty()) next = std::min(next, looks_.front().first);
    if (patience_) next = std::min(next, patience_->next(view.now));
    const Duration quantum = params_.rank_options.quantum;
    if (quantum > Duration{} && ladder_.sinks())
      next = std::min(next, multiple_after(view.now, quantum));
  }
  if (next == kNever || next == asked_) return;
  asked_ = next;
  plan.wake_at(next);
}

}  // namespace muster::ranked
