#include "core.hpp"

#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/policy/parts/predictor.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::batch {
namespace {

/// Whether all jobs of a shape are of one queue.
bool split_by_queue(const Jobs& jobs) {
  for (std::uint32_t j = 0; j < jobs.size(); ++j)
    if (jobs.asks(JobId{j}).queue != jobs.queue(JobId{j})) return false;
  return true;
}

}  // namespace

Core::Core(const Params& params) : params_(params) {
  order_ = Orders::all().at(params.order).make(params.order_options);
  refuse_idle(params.order_options, params.order, *order_);
  if (params.quota.any()) quota_.emplace(params.quota);
  if (params.patience.any()) patience_.emplace(params.patience);
  if (params.packing.any()) packing_.emplace(params.packing);
  auto rule = VictimRules::all().at(params.victims).make();
  Preemption::Options options = params.preemption_options;
  if (options.reclaim != Reclaim::none && params.preemption == PreemptionKind::none)
    throw InputError("/policy/reclaim", "needs a way to evict, but preemption is none",
                     "preemption=requeue or preemption=suspend");
  if (options.reclaim != Reclaim::none && !quota_)
    throw InputError("/policy/reclaim", "needs quotas, and there are none",
                     "guarantees={\"queue\":GPUs,...}, or pool=GPUs for all queues");
  // Two rules that take from each other's winners would have no end.
  if (options.reclaim != Reclaim::none) options.scope = PriorityScope::queue;
  options.mode =
      params.preemption == PreemptionKind::suspend ? PreemptMode::suspend : PreemptMode::requeue;
  if (params.preemption != PreemptionKind::none)
    preemption_ =
        std::make_unique<Preemption>(std::move(rule), options, quota_ ? &*quota_ : nullptr);
}

Planning Core::planning() const { return with_predictor(params_.planning, order_->predictor()); }

std::unique_ptr<Placer> Core::pick_placer(std::uint64_t seed) const {
  return Placers::all().at(params_.placer).make(seed);
}

void Core::begin(const View& view, std::uint64_t seed) {
  placer_ = pick_placer(seed);
  order_->begin(view, seed);
  queue_.begin(view.jobs.size(), view.demands.size(),
               order_->by_queue() && split_by_queue(view.jobs));
  if (params_.preemption_options.reclaim != Reclaim::none) evicted_in_.assign(view.jobs.size(), 0);
  if (quota_) quota_->begin(view);
  if (packing_) packing_->begin(view);
  rooms_.begin(view);
}

void Core::absorb(const View& view, Plan& plan) {
  if (packing_) packing_->warn(plan);
  if (patience_) patience_->begin_pass();
  if (backfill_due_ <= view.now) {
    backfill_late_ = view.now;
    backfill_due_ = kNever;
  }
  calendar_changed_ = view.calendar && view.calendar->version() != calendar_version_;
  if (calendar_changed_) calendar_version_ = view.calendar->version();
  if (!view.ended.empty() || calendar_changed_) ++stamp_;
  for (const RunningJob& r : view.ended) note_stop(view, r);
  for (const JobId j : view.left) {
    if (tied(view, j))
      std::erase_if(tied_, [j](const Waiting& w) { return w.job == j; });
    else
      dequeue(view, j);
    order_->left(view, j);
    if (patience_) patience_->gone(j);
    if (awaited_by_ == j) wait_for_room(view, kNoJob);
  }
  for (const JobId j : view.joined) {
    wait_again(view, j);
    if (tied(view, j)) continue;
    if (patience_) patience_->joined(j, view.jobs.shape(j), view.now);
  }
  if (!queue_.empty() && order_->refresh(view)) rebuild(view);
}

/// In another order who was passed over is so no longer.
void Core::rebuild(const View& view) {
  queue_.rebuild(view, *order_);
  passed_over_.clear();
}

void Core::note_stop(const View& view, const RunningJob& r) {
  if (!leaving_.empty())
    if (const auto it = leaving_.find(r.job); it != leaving_.end()) {
      if (it->second == awaited_by_) --awaited_;
      leaving_.erase(it);
    }
  order_->stopped(view, r);
  if (packing_) packing_->stopped(view, r.job);
  if (preemption_) preemption_->stopped(view, r);
  if (quota_) quota_->release(view.jobs.queue(r.job), r.milli);
}

/// In the queue, or for the reservation that it is tied to.
void Core::wait_again(const View& view, JobId j) {
  const Waiting w{order_->key(view, j), j, view.jobs.shape(j), view.jobs.planned(j)};
  if (tied(view, j)) {
    tied_.insert(w);
    return;
  }
  queue_.add(w);
  if (preemption_) ++waiting_priorities_[view.jobs.priority(j)];
}

void Core::dequeue(const View& view, JobId j) {
  queue_.remove(view.jobs.shape(j), j);
  if (holder_ == j) promise_to(view, kNoJob);
  if (!preemption_) return;
  const auto at = waiting_priorities_.find(view.jobs.priority(j));
  if (--at->second == 0) waiting_priorities_.erase(at);
}

/// From now on `j` (or nobody) waits for victims to leave; its quota is set aside meanwhile.
void Core::wait_for_room(const View& view, JobId j) {
  if (awaited_by_ == j) return;
  if (quota_ && awaited_by_ != kNoJob)
    quota_->release(view.jobs.queue(awaited_by_), demand(view, awaited_by_).total_milli());
  if (quota_ && j != kNoJob) quota_->charge(view.jobs.queue(j), demand(view, j).total_milli());
  awaited_by_ = j;
  awaited_ = 0;
}

void Core::in_order(std::vector<JobId>& out) const {
  out.clear();
  if (awaited_by_ != kNoJob) out.push_back(awaited_by_);
  queue_.all().each([&](const Waiting& w) {
    if (w.job != awaited_by_) out.push_back(w.job);
    return true;
  });
}

void Core::promise_to(const View& view, JobId j, SimTime at) {
  holder_stays_ = false;
  promised_at_ = at;
  if (holder_ == j) return;
  holder_ = j;
  passed_over_.clear();
  if (!quota_ || j == kNoJob) return;
  for (const ShapeId s : queue_.shapes())
    if (queue_.line(s).first() < queue_.entry(j) && capped_line(view, queue_.line(s)))
      passed_over_.push_back(s);
}

/// Whether the one with the promise is the head unless somebody comes who goes before it.
bool Core::holds(const View& view) {
  return holder_ != kNoJob && (holder_stays_ || !capped(view, holder_)) &&
         !hopeless(view, view.jobs.shape(holder_));
}

/// Its first job stands ahead of the one with the promise, was passed over by it, and evicts nobody for itself.
bool Core::waits_for_holder(const View& view, ShapeId s) {
  if (std::find(passed_over_.begin(), passed_over_.end(), s) == passed_over_.end()) return false;
  return !preemption_ ||
         view.jobs.priority(queue_.line(s).first().job) <= view.jobs.priority(holder_);
}

JobId Core::first_allowed(const View& view) {
  const bool held = holds(view);
  const JobId first = first_within_quota(view, held);
  if (!held) return first;
  return first != kNoJob && queue_.entry(first) < queue_.entry(holder_) ? first : holder_;
}

/// `held`: the holder keeps its place against those whom it passed over.
JobId Core::first_within_quota(const View& view, bool held) {
  std::optional<Waiting> first;
  for (const ShapeId s : queue_.shapes()) {
    const WaitingQueue::Line& line = queue_.line(s);
    if (capped_line(view, line) || hopeless(view, s)) continue;
    if (held && waits_for_holder(view, s)) continue;
    if (const Waiting w = line.first(); !first || w < *first) first = w;
  }
  return first ? first->job : kNoJob;
}

bool Core::reclaim(const View& view, Plan& plan, JobId head) {
  std::vector<Waiting> claimants;
  for (const ShapeId s : queue_.shapes()) {
    const Waiting first = queue_.line(s).first();
    if (capped(view, first.job) && may_try(view, first.job) &&
        (head == kNoJob || first < queue_.entry(head)))
      claimants.push_back(first);
  }
  std::sort(claimants.begin(), claimants.end());
  for (const Waiting& w : claimants) {
    if (!make_room(view, plan, w.job)) continue;
    try_start(view, plan, w.job);
    return true;
  }
  return false;
}

bool Core::try_start(const View& view, Plan& plan, JobId j) {
  if (capped(view, j)) return false;
  const ShapeId shape = view.jobs.shape(j);
  const WaitingQueue::Notes& notes = queue_.notes(shape);
  // To look for a gang's nodes in vain costs more than to count them; one node is found at once.
  const bool known =
      notes.fit_at == stamp_ || view.demands[shape].gpus > view.demands[shape].widest;
  if (known && fit_now(view, shape) != Fit::yes) return false;
  if (!place(view, j)) return false;
  start(view, plan, j, slices_);
  return true;
}

bool Core::place(const View& view, JobId j) {
  const Demand& d = demand(view, j);
  const Level level = stance(view, j).first;
  if (level == Level::fleet) return placer_->place(room(view, j), d, slices_);
  Demand tight = d;
  tight.required = level;
  return placer_->place(room(view, j), tight, slices_);
}

void Core::start(const View& view, Plan& plan, JobId j, std::span<const Slice> slices) {
  dequeue(view, j);
  run(view, plan, j, slices);
}

void Core::run(const View& view, Plan& plan, JobId j, std::span<const Slice> slices) {
  plan.start(j, slices);
  placer_->started();
  if (packing_) packing_->started(view, j);
  note_run(view, plan, j);
}

void Core::pack(const View& view, Plan& plan) {
  if (!packing_ || !packing_->has_hosts()) return;
  constexpr std::size_t kMostTried = 100;
  std::vector<JobId> tried;
  queue_.all().each([&](const Waiting& w) {
    tried.push_back(w.job);
    return tried.size() < kMostTried;
  });
  for (const JobId j : tried) {
    const JobId host = capped(view, j) ? kNoJob : packing_->host_for(view, room(view, j), j);
    if (host == kNoJob) continue;
    dequeue(view, j);
    plan.start_beside(j, host);
    packing_->packed(view, j, host);
    note_run(view, plan, j);
  }
}

/// What the last step of the plan, its start, changes.
void Core::note_run(const View& view, const Plan& plan, JobId j) {
  const RunningJob& r = plan.steps().back().running;
  order_->started(view, r);
  if (preemption_) preemption_->started(view, r);
  if (patience_) patience_->started(j);
  if (awaited_by_ == j) wait_for_room(view, kNoJob);
  if (quota_) quota_->charge(view.jobs.queue(j), r.milli);
  ++stamp_;
  if (order_->refresh_after_start() && order_->refresh(view)) rebuild(view);
}

bool Core::make_room(const View& view, Plan& plan, JobId j) {
  if (!preemption_ || room_is_coming(j) || stance(view, j).first < Level::fleet) return false;
  if (!evicted_in_.empty() && evicted_in_[j] == pass_) return false;
  // Jobs that are alike in these three find no victims either, as long as nothing has changed.
  const std::tuple kind{view.jobs.shape(j), view.jobs.queue(j), view.jobs.priority(j)};
  const std::pair now{pass_, stamp_};
  if (no_victims_at_ != now) no_victims_.clear();
  no_victims_at_ = now;
  if (!view.calendar && no_victims_.contains(kind)) return false;
  const std::vector<RunningJob> victims =
      preemption_->choose(with_cluster(view, room(view, j)), j, demand(view, j));
  if (victims.empty()) no_victims_.insert(kind);
  for (const RunningJob& r : victims) {
    ++stamp_;
    // One that is on its way out already needs no second word.
    if (leaving_.contains(r.job) || !plan.preempt(r.job, j, preemption_->mode())) {
      wait_for_room(view, j);
      ++awaited_;
      leaving_[r.job] = j;
      continue;
    }
    note_stop(view, r);
    if (patience_) patience_->evicted(r.job);
    if (!evicted_in_.empty()) evicted_in_[r.job] = pass_;
    // Back to its place at once (C3, C7): it may be given a reservation in this very pass.
    wait_again(view, r.job);
  }
  return !victims.empty();
}

bool Core::defragment(const View& view, Plan& plan, JobId j) {
  const ShapeId shape = view.jobs.shape(j);
  if (params_.defrag == 0 || capped(view, j) || searched_ == std::pair{shape, stamp_}) return false;
  if (stance(view, j).first < Level::fleet) return false;
  const Fit f = fit_now(view, shape);
  if (f != Fit::fragmented && f != Fit::apart) return false;
  const auto& moves = defrag_.find(view, demand(view, j), params_.defrag,
                                   [&](const RunningJob& r) { return !leaving_.contains(r.job); });
  if (moves.empty()) {
    searched_ = {shape, stamp_};
    return false;
  }
  for (const Defrag::Move& m : moves) {
    const Slice to{NodeId{m.to}, 1, m.gpus};
    plan.reshape(m.job, {&to, 1}, params_.move_cost, j);
  }
  ++stamp_;
  return true;
}

bool Core::wants_domains(const Fleet& fleet) const {
  return patience_ || pick_placer()->wants_domains(fleet);
}

std::optional<Rejection> Core::refuse(const View& view, const Cluster& empty, JobId j) {
  if (quota_)
    if (const auto why = quota_->never(view, view.jobs.queue(j), demand(view, j)))
      return Rejection{j, "exceeds_queue_cap",
                       "job " + std::string{view.jobs.id_text(j)} + " " + *why};
  if (WaitingQueue::Notes& notes = queue_.notes(view.jobs.shape(j)); !notes.possible) {
    if (auto rejection = never_fits(view, empty, j)) return rejection;
    notes.possible = true;
    if (patience_) patience_->learn(view.jobs.shape(j), demand(view, j), empty);
  }
  if (auto rejection = order_->refuse(view, j)) return rejection;
  placer_->submitted(demand(view, j), view.fleet);
  return std::nullopt;
}

}  // namespace muster::batch
