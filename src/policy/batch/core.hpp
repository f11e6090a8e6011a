#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "muster/core/multiples.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/parts/defrag.hpp"
#include "muster/policy/parts/order.hpp"
#include "muster/policy/parts/packing.hpp"
#include "muster/policy/parts/patience.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/preemption.hpp"
#include "muster/policy/parts/quota.hpp"
#include "muster/policy/parts/rooms.hpp"
#include "muster/policy/parts/waiting_queue.hpp"
#include "muster/policy/parts/words.hpp"
#include "muster/policy/policy.hpp"

namespace muster::batch {

enum class BackfillKind : std::uint8_t { none, easy, conservative };
enum class Candidates : std::uint8_t { order, shortest };
enum class PromiseKind : std::uint8_t { time, pinned, count };
enum class ConservativeKind : std::uint8_t { compress, replan };
enum class PreemptionKind : std::uint8_t { none, suspend, requeue };

struct Params {
  std::string order = "fifo";
  OrderOptions order_options;
  BackfillKind backfill = BackfillKind::none;
  bool skip = false;
  std::int64_t depth = 0;
  std::int64_t reservations = 1;
  Candidates candidates = Candidates::order;
  bool spare = true;
  Duration backfill_interval{};
  Duration backfill_window{};
  PromiseKind promise = PromiseKind::time;
  ConservativeKind conservative = ConservativeKind::replan;
  std::string placer = "pack";
  Cutting cutting;
  PreemptionKind preemption = PreemptionKind::none;
  Preemption::Options preemption_options;
  std::string victims = "youngest";
  Planning planning;
  QuotaOptions quota;
  std::int64_t defrag = 0;
  Duration move_cost{};
  Patience::Options patience;
  Packing::Options packing;

  void walk(ParamVisitor& visit);
};

/// What all ways to backfill share: the queue, the quota, and how a job is started or makes room.
class Core {
 public:
  explicit Core(const Params& params);

  void begin(const View& view, std::uint64_t seed);
  bool wants_domains(const Fleet& fleet) const;
  std::optional<Rejection> refuse(const View& view, const Cluster& empty, JobId j);
  /// Takes note of what happened since the last pass.
  void absorb(const View& view, Plan& plan);
  void end_pass() { ++pass_; }

  const Params& params() const { return params_; }
  /// With the predictor that somebody needs, or none.
  Planning planning() const;
  WaitingQueue& queue() { return queue_; }
  Order& order() { return *order_; }
  bool orders_by_queue() const { return order_->by_queue(); }
  Placer& placer() { return *placer_; }
  std::uint64_t pass() const { return pass_; }
  /// Changes with each start, end and preemption: what was judged before is stale.
  std::uint64_t stamp() const { return stamp_; }
  /// Whether a job of this shape could start on what is free now; asked once per stamp.
  Fit fit_now(const View& view, ShapeId s) { return fit_now(view, s, queue_.notes(s)); }
  Fit fit_now(const View& view, ShapeId s, WaitingQueue::Notes& notes) {
    if (notes.fit_at != stamp_) {
      notes.fit_at = stamp_;
      notes.fit = fit(view.cluster, view.demands[s]);
    }
    return notes.fit;
  }
  const Demand& demand(const View& view, JobId j) const { return view.demands[view.jobs.shape(j)]; }

  /// The cluster as `j` sees it if it starts now: without what is kept for others, or will not be there
  /// as long as it needs it.
  const Cluster& room(const View& view, JobId j) {
    return view.calendar ? rooms_.until(view, later(view.now, view.jobs.planned(j)), stamp_)
                         : view.cluster;
  }
  /// The longest that a job of this shape could run from now on; only where one fits now.
  Duration longest(const View& view, ShapeId s) {
    if (!view.calendar) return Duration::max();
    WaitingQueue::Notes& notes = queue_.notes(s);
    if (notes.longest_at != stamp_ || notes.longest_in != pass_) {
      notes.longest_at = stamp_;
      notes.longest_in = pass_;
      notes.longest = rooms_.longest(view, view.demands[s], stamp_);
    }
    return notes.longest;
  }
  /// No start can be promised to it: nodes that it needs are down without an announced return (C11).
  bool hopeless(const View& view, ShapeId s) {
    if (!view.calendar) return false;
    WaitingQueue::Notes& notes = queue_.notes(s);
    if (notes.hope_at != view.calendar->version() + 1) {
      notes.hope_at = view.calendar->version() + 1;
      notes.hopeless = rooms_.hopeless(view, view.demands[s]);
    }
    return notes.hopeless;
  }
  /// Neither quota nor nodes that are gone for good keep it from being planned.
  bool plannable(const View& view, JobId j) {
    return !capped(view, j) && !hopeless(view, view.jobs.shape(j));
  }
  Rooms& rooms() { return rooms_; }

  /// Jobs that are tied to reservations start in them (src/policy/batch/tied.cpp): in queue order, whoever
  /// fits and ends before the reservation does. They never stand in the queue.
  void start_tied(const View& view, Plan& plan);
  bool tied(const View& view, JobId j) const { return view.jobs.reservation(j) != NameId{}; }
  /// In words.
  Explanation explain_tied(const View& view, JobId j);
  /// What is known of outages has changed since the last pass.
  bool calendar_changed() const { return calendar_changed_; }

  const Quota* quota() const { return quota_ ? &*quota_ : nullptr; }
  /// Its queue's quota leaves no room for one more job of this shape.
  bool capped(const View& view, JobId j) const {
    if (!quota_) return false;
    const NameId queue = view.jobs.queue(j);
    return j == awaited_by_ ? !quota_->within(queue)
                            : !quota_->admits(queue, demand(view, j).total_milli());
  }
  /// Of what `j` needs that is not set aside for it already, in thousandths of a GPU.
  std::int64_t still_to_charge(const View& view, JobId j) const {
    return j == awaited_by_ ? 0 : demand(view, j).total_milli();
  }
  /// Whether what `usage`, as it is or will be, leaves to its queue is enough for `j`.
  bool admits(const QuotaTree& usage, const View& view, JobId j) const {
    return usage.available(quota_->node(view.jobs.queue(j))) >= still_to_charge(view, j);
  }
  /// Whether it still is if `other` runs then.
  bool admits_beside(QuotaTree& usage, const View& view, JobId j, JobId other) const {
    const std::size_t node = quota_->node(view.jobs.queue(other));
    const std::int64_t milli = demand(view, other).total_milli();
    usage.charge(node, milli);
    const bool both = admits(usage, view, j);
    usage.release(node, milli);
    return both;
  }
  /// The same as things are now.
  bool admits_beside(const View& view, JobId j, JobId other) {
    return admits_beside(quota_->tree(), view, j, other);
  }
  bool capped_line(const View& view, const WaitingQueue::Line& line) const {
    return quota_ && capped(view, line.jobs.front().job);
  }
  /// Who goes first: a job for which others were told to go (their GPUs are its, C7), else the first
  /// in queue order that no quota holds back, or that keeps its place; kNoJob if there is none.
  JobId head(const View& view) {
    if (awaited_by_ != kNoJob) return awaited_by_;
    if (quota_ || (view.calendar && !view.calendar->empty())) return first_allowed(view);
    return queue_.empty() ? kNoJob : queue_.first().job;
  }
  /// `j` has the one promise (or nobody has), of the time `at`, and may wait for its quota in its place. Who stands
  /// ahead of it and is held back by its quota was passed over: it is the head again when `j` has started, or if it may
  /// evict for itself.
  void promise_to(const View& view, JobId j, SimTime at = kNever);
  /// Who has it and still waits.
  JobId holder() const { return holder_; }
  /// When it will start; kNever if nobody can tell, or nobody has it.
  SimTime promised_at() const { return promised_at_; }
  void let_holder_stay(bool stays) { holder_stays_ = stays; }
  /// Jobs held back by quota that stand before `head` in queue order reclaim what they may. True if
  /// one of them did.
  bool reclaim_before(const View& view, Plan& plan, JobId head) {
    return params_.preemption_options.reclaim != Reclaim::none && awaited_by_ == kNoJob &&
           reclaim(view, plan, head);
  }
  /// The waiting jobs in the order in which they are served.
  void in_order(std::vector<JobId>& out) const;

  /// False if it does not fit, or not inside the level on which it insists.
  bool try_start(const View& view, Plan& plan, JobId j);
  void start(const View& view, Plan& plan, JobId j, std::span<const Slice> slices);
  /// Jobs for which there is no place start beside running ones, in queue order.
  void pack(const View& view, Plan& plan);
  /// Evicts for `j`. True: something was evicted; `j` may be startable at once or after grace.
  bool make_room(const View& view, Plan& plan, JobId j);
  /// Moves running jobs so that `j`, for which there are GPUs enough that lie apart, has room. False if
  /// that can't be done.
  bool defragment(const View& view, Plan& plan, JobId j);
  /// Someone in grace time makes room for `j`.
  bool room_is_coming(JobId j) const { return awaited_by_ == j && awaited_ > 0; }
  /// The job for which others were told to go; kNoJob if there is none.
  JobId awaited() const { return awaited_by_; }
  /// Why it may not reclaim, if that is a question of fair shares; or "".
  std::string unfair_text(const View& view, JobId j) const {
    return preemption_ ? preemption_->unfair_text(view, j, demand(view, j)) : "";
  }
  /// The level on which `j` insists for now though it could start elsewhere, and until when.
  std::pair<Level, SimTime> stance(const View& view, JobId j) const {
    if (!patience_) return {Level::fleet, kNever};
    return patience_->stance(j, view.now);
  }
  bool preempts() const { return preemption_ != nullptr; }

  /// When others than those in front are tried next; now, unless a time between is set.
  SimTime next_backfill(const View& view) const {
    if (params_.backfill_interval == Duration{} || backfill_late_ == view.now) return view.now;
    return next_multiple(view.now, params_.backfill_interval);
  }
  /// Whether that is now: at a multiple, or in the first pass behind it where passes have times of their own.
  /// If not, it asks for the pass in which it is.
  bool backfills(const View& view, Plan& plan) {
    const SimTime next = next_backfill(view);
    if (next > view.now) wake_to_backfill(plan, next);
    return next == view.now;
  }
  /// At the end of a pass: where somebody was started others may be next, and where somebody waits for his turn
  /// another order may bring it: nothing else needs to happen for that.
  void look_again(const View& view, Plan& plan) {
    if (queue_.empty()) return;
    if (params_.backfill_interval > Duration{} && !plan.steps().empty())
      wake_to_backfill(plan, multiple_after(view.now, params_.backfill_interval));
    if (const SimTime at = order_->next_refresh(); at != kNever && order_matters(view))
      plan.wake_at(at);
  }
  /// Whether some waiting job is urgent enough to evict somebody.
  bool anyone_may_evict() const {
    return preemption_ && !waiting_priorities_.empty() &&
           preemption_->may_evict(waiting_priorities_.rbegin()->first);
  }
  /// It is not held back by quota, or may claim what others have too much.
  bool may_try(const View& view, JobId j) const {
    return !capped(view, j) || (preemption_ && preemption_->may_claim(view, j, demand(view, j)));
  }

  /// Says for each shape why its jobs still wait; `fits_now` is the cause of those that would fit.
  template <class CauseOfFitting>
  void explain(const View& view, Plan& plan, CauseOfFitting fits_now) {
    for (const ShapeId s : queue_.shapes()) {
      WaitingQueue::Notes& notes = queue_.notes(s);
      Cause cause = cause_of_misfit(fit_now(view, s, notes));
      const bool misfit = cause != Cause::order;
      if (!misfit)
        cause = quota_ && capped_line(view, queue_.line(s)) ? Cause::quota
                : patience_ && stance(view, queue_.line(s).jobs.front().job).first < Level::fleet
                    ? Cause::topology
                    : fits_now(s);
      if (view.calendar && (misfit || cause != Cause::quota))
        cause = outage_cause(view, s, queue_.line(s).jobs.front()).value_or(cause);
      notes.say(plan, s, cause);
    }
    if (patience_) plan.wake_at(patience_->next(view.now));
  }

  std::vector<Slice>& buffer() { return slices_; }

 private:
  JobId first_allowed(const View& view);
  bool holds(const View& view);
  bool waits_for_holder(const View& view, ShapeId s);
  bool reclaim(const View& view, Plan& plan, JobId head);
  void wake_to_backfill(Plan& plan, SimTime at) {
    backfill_due_ = at;
    plan.wake_at(at);
  }
  /// Whether in another order somebody could start though nothing comes free.
  bool order_matters(const View& view) {
    return preemption_ || std::any_of(queue_.shapes().begin(), queue_.shapes().end(),
                                      [&](ShapeId s) { return fit_now(view, s) == Fit::yes; });
  }
  bool place(const View& view, JobId j);
  JobId first_within_quota(const View& view, bool held);
  std::optional<Cause> outage_cause(const View& view, ShapeId s, const Waiting& first) {
    return rooms_.cause(view, view.demands[s], later(view.now, first.planned), stamp_);
  }
  void note_stop(const View& view, const RunningJob& r);
  void wait_again(const View& view, JobId j);
  void rebuild(const View& view);
  void dequeue(const View& view, JobId j);
  void run(const View& view, Plan& plan, JobId j, std::span<const Slice> slices);
  void note_run(const View& view, const Plan& plan, JobId j);
  void wait_for_room(const View& view, JobId j);
  std::unique_ptr<Placer> pick_placer(std::uint64_t seed = 1) const;

  Params params_;
  std::unique_ptr<Order> order_;
  std::unique_ptr<Placer> placer_;
  std::unique_ptr<Preemption> preemption_;
  std::map<std::int32_t, std::uint32_t> waiting_priorities_;  // jobs; with preemption_ only
  /// Shape, queue and priority of jobs for which no victims were found in that pass, at that stamp.
  std::set<std::tuple<ShapeId, NameId, std::int32_t>> no_victims_;
  std::pair<std::uint64_t, std::uint64_t> no_victims_at_{};
  WaitingQueue queue_;
  std::optional<Quota> quota_;
  std::optional<Patience> patience_;
  std::optional<Packing> packing_;
  std::map<JobId, JobId> leaving_;  // in grace: victim -> by
  JobId awaited_by_ = kNoJob;       // its share of the quota is set aside already
  std::size_t awaited_ = 0;
  JobId holder_ = kNoJob;
  SimTime promised_at_ = kNever;
  bool holder_stays_ = false;
  std::vector<ShapeId>
      passed_over_;  // whose first job stood ahead of the holder when it got its promise
  std::uint64_t pass_ = 1;
  SimTime backfill_due_ = kNever;   // when it was asked for
  SimTime backfill_late_ = kNever;  // the pass, not at a multiple, that came for one before
  // Reclaiming only: the pass in which a job was evicted; it evicts nobody in that one. Priorities end
  // such a chain by themselves.
  IdVector<JobId, std::uint64_t> evicted_in_;
  std::uint64_t stamp_ = 1;
  Defrag defrag_;
  std::pair<ShapeId, std::uint64_t> searched_{};  // in vain: for which shape, and at which stamp
  std::vector<Slice> slices_;
  Rooms rooms_;
  std::set<Waiting> tied_;  // to reservations
  std::uint64_t calendar_version_ = 0;
  bool calendar_changed_ = false;
};

/// What happens after the jobs at the head have started and the next one does not fit.
class Backfill {
 public:
  virtual ~Backfill() = default;
  virtual void begin(const View&) {}
  virtual void decide(Core& core, const View& view, Plan& plan) = 0;
  /// The time promised to `j`, kNever if none.
  virtual SimTime promised(const Core& core, JobId j) const = 0;
  /// The last job that was looked at where `depth` keeps others from it; else nullptr.
  virtual const Waiting* last_tried() const { return nullptr; }
};

std::unique_ptr<Backfill> make_strict();   // none, skip, and EASY with one time promise
std::unique_ptr<Backfill> make_planned();  // a profile by number, made anew: conservative, EASY(k)
std::unique_ptr<Backfill> make_kept();     // the same, kept: conservative = compress
std::unique_ptr<Backfill> make_pinned();   // a profile by node: promise = pinned
std::unique_ptr<Backfill> make_counted();  // EASY by number, whatever the nodes: promise = count

/// The words for Policy::explain().
Explanation explain(const View& view, Core& core, const Backfill& backfill, JobId job);

}  // namespace muster::batch
