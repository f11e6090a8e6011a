#include <algorithm>
#include <map>
#include <set>

#include "muster/core/error.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/cutting_params.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/parts/words.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace {

/// Worker by worker, without a gang: what a stock Kubernetes scheduler does to a distributed job.
/// Each worker takes its GPUs as soon as they are free and holds them until the last one has its
/// own; two half-started gangs can wait for each other for ever (the engine finds and names that).
/// With a time-out an incomplete gang gives everything back after a while and tries again: deadlock
/// turns into livelock unless the gangs come apart (co-scheduling time-outs of kube-batch, Volcano).
///
/// A worker is one node of a nodes x GPUs request, one task of a task list, or one piece of at most
/// `worker_gpus` GPUs of a bare request (0: as much as a node has).
class Independent final : public Policy {
 public:
  struct Params {
    std::string placer = "pack";
    bool interleave = true;
    std::int64_t worker_gpus = 0;
    Duration timeout = kUnknown;
    Duration backoff = std::chrono::seconds{1};
    Planning planning;
    Cutting cutting;

    void walk(ParamVisitor& visit) {
      choose_part<Placers>(visit, "placer", placer, "where a worker goes");
      visit.visit(
          "interleave", interleave,
          "workers of waiting jobs take turns, as pods that are created at the same time do; "
          "false: all of the older job's first");
      visit.visit(
          "worker_gpus", worker_gpus, 0, 64,
          "GPUs of one worker of a bare request; 0 = a whole node, or the request if smaller");
      visit.visit("timeout", timeout,
                  "an incomplete gang gives its GPUs back after this; not set: never");
      visit.visit("backoff", backoff, "and tries again after this");
      mig_params(visit, cutting);
      walk_limits(visit, planning);
    }
  };

  explicit Independent(const Params& p) : params_(p) {
    check(p.planning);
    refuse_idle_estimate(p.planning, "independent");
    if (p.backoff <= Duration{})
      throw InputError("/policy/backoff", "expected a time above 0", "for example backoff=30s");
    if (p.timeout != kUnknown && p.timeout <= Duration{})
      throw InputError("/policy/timeout", "expected a time above 0", "for example timeout=10min");
  }

  Planning planning() const override {
    Planning p = params_.planning;
    p.by_estimates = false;
    return p;
  }
  Cutting cutting() const override { return params_.cutting; }
  bool wants_domains(const Fleet& fleet) const override {
    return Placers::all().at(params_.placer).make(1)->wants_domains(fleet);
  }
  void begin(const View& view, std::uint64_t seed) override {
    placer_ = Placers::all().at(params_.placer).make(seed);
    empty_.emplace(view.cluster);
  }
  std::optional<Rejection> refuse(const View& view, JobId j) override {
    if (auto rejection = never_fits(view, *empty_, j)) return rejection;
    placer_->submitted(view.demands[view.jobs.shape(j)], view.fleet);
    return std::nullopt;
  }

  void decide(const View& view, Plan& plan) override {
    for (const JobId j : view.left) forget(view, j);
    for (const JobId j : view.joined) {
      waiting_[j] = {workers(view.demands[view.jobs.shape(j)])};
      of_shape_[view.jobs.shape(j)].insert(j);
      fresh_[view.jobs.shape(j)].insert(j);
    }
    if (params_.timeout != kUnknown) give_up(view, plan);
    hopeless_.clear();
    while (round(view, plan)) {
    }
    ask_for_a_pass(view, plan);
    explain_all(view, plan);
  }

  Explanation explain(const View& view, JobId j) override {
    const Gang& gang = waiting_.at(j);
    const Demand d = worker(view, j, gang.missing.back());
    Explanation e;
    e.cause = cause(view, j, gang);
    const std::uint32_t held = gpus_in(view.placements.of(j));
    e.text = "holds " + count_text(held, "GPU") + ", " + count_text(gang.missing.size(), "worker") +
             " of it still " + (gang.missing.size() == 1 ? "waits" : "wait") + "; the next " +
             misfit_text(view, d, fit(view.cluster, d));
    e.remedy =
        relief_text(view, d) + "; gang scheduling (policy batch) would hold nothing until all fit";
    return e;
  }

 private:
  struct Gang {
    std::vector<std::uint32_t> missing;  // GPUs of each worker without a place, largest last
    SimTime since = kNever;              // holds GPUs since
    SimTime not_before = kStart;         // after giving up
  };

  std::vector<std::uint32_t> workers(const Demand& d) const {
    std::vector<std::uint32_t> pieces;
    if (!d.tasks.empty()) {
      pieces = d.tasks;
    } else if (d.milli < 1000) {
      pieces.assign(1, d.gpus);
    } else if (d.nodes > 0) {
      pieces.assign(d.nodes, d.per_node);  // 0: a whole node
    } else {
      const std::uint32_t most =
          params_.worker_gpus > 0
              ? std::min(d.widest, static_cast<std::uint32_t>(params_.worker_gpus))
              : d.widest;
      for (std::uint32_t left = d.gpus; left > 0; left -= pieces.back())
        pieces.push_back(std::min(left, most));
    }
    std::sort(pieces.begin(), pieces.end());
    return pieces;
  }

  static Demand worker(const View& view, JobId j, std::uint32_t gpus) {
    Demand d = view.demands[view.jobs.shape(j)];
    d.tasks.clear();
    d.required = d.preferred = Level::fleet;
    d.by_count = false;
    if (d.milli == 1000) {
      d.nodes = 1;
      d.per_node = gpus;
      d.gpus = gpus == 0 ? d.widest : gpus;
      d.least = gpus == 0 ? 1 : gpus;
    }
    return d;
  }

  void forget(const View& view, JobId j) {
    const ShapeId shape = view.jobs.shape(j);
    waiting_.erase(j);
    erase_from(of_shape_, shape, j);
    erase_from(fresh_, shape, j);
    holding_.erase(j);
    resting_.erase(j);
  }
  static void erase_from(std::map<ShapeId, std::set<JobId>>& sets, ShapeId shape, JobId j) {
    const auto at = sets.find(shape);
    if (at == sets.end()) return;
    at->second.erase(j);
    if (at->second.empty()) sets.erase(at);
  }

  /// Each waiting job in trace order has a worker placed, or all of them. Those that hold nothing are alike
  /// within a shape: where one finds no place, the later ones don't either, in this pass.
  bool round(const View& view, Plan& plan) {
    bool placed = false;
    for (JobId j = next_from(JobId{0}); j != kNoJob; j = next_from(JobId{j.value + 1})) {
      Gang& gang = waiting_.at(j);
      const ShapeId shape = view.jobs.shape(j);
      const bool was_fresh = gang.since == kNever;
      bool here = place_one(view, plan, j, gang);
      const bool any = here;
      while (here && !params_.interleave && !gang.missing.empty())
        here = place_one(view, plan, j, gang);
      placed |= here;
      if (was_fresh && any) {
        erase_from(fresh_, shape, j);
        holding_.insert(j);
      } else if (was_fresh) {
        hopeless_.insert(shape);
      }
      if (!gang.missing.empty()) continue;
      plan.start(j, {});
      forget(view, j);
    }
    return placed;
  }

  /// The first job from this one on that may find a place.
  JobId next_from(JobId from) const {
    JobId next = kNoJob;
    if (const auto at = holding_.lower_bound(from); at != holding_.end()) next = *at;
    for (const auto& [shape, jobs] : fresh_) {
      if (hopeless_.contains(shape)) continue;
      if (const auto at = jobs.lower_bound(from); at != jobs.end()) next = std::min(next, *at);
    }
    return next;
  }

  /// The largest worker that finds a place: none waits for another of its gang.
  bool place_one(const View& view, Plan& plan, JobId j, Gang& gang) {
    std::vector<std::uint32_t>& missing = gang.missing;
    for (std::size_t i = missing.size(); i-- > 0;) {
      const bool tried = i + 1 < missing.size() && missing[i] == missing[i + 1];
      if (tried || !placer_->place(view.cluster, worker(view, j, missing[i]), slices_)) continue;
      plan.acquire(j, slices_);
      placer_->started();
      missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
      if (gang.since == kNever) gang.since = view.now;
      return true;
    }
    return false;
  }

  void give_up(const View& view, Plan& plan) {
    for (auto it = holding_.begin(); it != holding_.end();) {
      const JobId j = *it;
      Gang& gang = waiting_.at(j);
      if (view.now < later(gang.since, params_.timeout)) {
        ++it;
        continue;
      }
      plan.drop(j);
      gang = {workers(view.demands[view.jobs.shape(j)]), kNever, view.now + params_.backoff};
      resting_.insert(j);
      it = holding_.erase(it);
    }
    for (auto it = resting_.begin(); it != resting_.end();) {
      const bool over = view.now >= waiting_.at(*it).not_before;
      if (over) fresh_[view.jobs.shape(*it)].insert(*it);
      it = over ? resting_.erase(it) : std::next(it);
    }
  }

  /// When the next gang gives up or may try again. A plan carries one such time, so whoever is next is
  /// found anew in each pass.
  void ask_for_a_pass(const View& view, Plan& plan) {
    if (params_.timeout == kUnknown) return;
    SimTime next = kNever;
    for (const JobId j : holding_)
      next = std::min(next, later(waiting_.at(j).since, params_.timeout));
    for (const JobId j : resting_)
      if (waiting_.at(j).not_before > view.now) next = std::min(next, waiting_.at(j).not_before);
    if (next != kNever && next != asked_) plan.wake_at(next);
    asked_ = next;
  }

  Cause cause(const View& view, JobId j, const Gang& gang) const {
    if (view.now < gang.not_before) return Cause::interval;
    return cause_of_misfit(fit(view.cluster, worker(view, j, gang.missing.back())));
  }

  /// The cause of a shape is that of its first waiting job.
  void explain_all(const View& view, Plan& plan) {
    for (const auto& [shape, jobs] : of_shape_)
      plan.explain(shape, cause(view, *jobs.begin(), waiting_.at(*jobs.begin())));
  }

  Params params_;
  std::unique_ptr<Placer> placer_;
  std::optional<Cluster> empty_;
  std::map<JobId, Gang> waiting_;                        // in trace order
  std::map<ShapeId, std::set<JobId>> of_shape_, fresh_;  // all of these; those that hold nothing
  std::set<JobId> holding_;                              // a part of what they need
  std::set<JobId> resting_;                              // they gave up, and try again later
  std::set<ShapeId> hopeless_;                           // in this pass
  SimTime asked_ = kNever;                               // the pass that is on its way
  std::vector<Slice> slices_;
};

const RegisterPolicy<Independent> registered{
    "independent",
    "worker by worker without a gang, as stock Kubernetes does; shows hoarding and deadlock"};

}  // namespace
}  // namespace muster
