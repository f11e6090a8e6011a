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
    if (p.backoff <= Duration{})
      throw InputError("/policy/backoff", "expected a time above 0", "for example backoff=30s");
    if (p.timeout != kUnknown && p.timeout <= Duration{})
      throw InputError("/policy/timeout", "expected a time above 0", "for example timeout=10min");
  }

  Planning planning() const override { return params_.planning; }
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
    for (const JobId j : view.left) waiting_.erase(j);
    for (const JobId j : view.joined) waiting_[j] = {workers(view.demands[view.jobs.shape(j)])};
    if (params_.timeout != kUnknown) give_up(view, plan);
    bool placed = true;
    while (placed) {
      placed = false;
      for (auto it = waiting_.begin(); it != waiting_.end();) {
        bool here = place_one(view, plan, it->first, it->second);
        while (here && !params_.interleave && !it->second.missing.empty())
          here = place_one(view, plan, it->first, it->second);
        placed |= here;
        if (it->second.missing.empty()) {
          plan.start(it->first, {});
          it = waiting_.erase(it);
        } else {
          ++it;
        }
      }
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

  /// The largest worker that finds a place: none waits for another of its gang.
  bool place_one(const View& view, Plan& plan, JobId j, Gang& gang) {
    if (view.now < gang.not_before) return false;
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
    for (auto& [j, gang] : waiting_) {
      if (gang.since == kNever || view.now < later(gang.since, params_.timeout)) continue;
      plan.drop(j);
      gang = {workers(view.demands[view.jobs.shape(j)]), kNever, view.now + params_.backoff};
    }
  }

  /// When the next gang gives up or may try again. A plan carries one such time, so whoever is next is
  /// found anew in each pass.
  void ask_for_a_pass(const View& view, Plan& plan) {
    if (params_.timeout == kUnknown) return;
    SimTime next = kNever;
    for (const auto& [j, gang] : waiting_) {
      if (gang.since != kNever) next = std::min(next, later(gang.since, params_.timeout));
      if (gang.not_before > view.now) next = std::min(next, gang.not_before);
    }
    if (next != kNever && next != asked_) plan.wake_at(next);
    asked_ = next;
  }

  Cause cause(const View& view, JobId j, const Gang& gang) const {
    if (view.now < gang.not_before) return Cause::interval;
    return cause_of_misfit(fit(view.cluster, worker(view, j, gang.missing.back())));
  }

  /// The cause of a shape is that of its first waiting job.
  void explain_all(const View& view, Plan& plan) {
    said_.clear();
    for (const auto& [j, gang] : waiting_)
      if (said_.insert(view.jobs.shape(j)).second)
        plan.explain(view.jobs.shape(j), cause(view, j, gang));
  }

  Params params_;
  std::unique_ptr<Placer> placer_;
  std::optional<Cluster> empty_;
  std::map<JobId, Gang> waiting_;  // in trace order
  std::set<ShapeId> said_;
  SimTime asked_ = kNever;  // the pass that is on its way
  std::vector<Slice> slices_;
};

const RegisterPolicy<Independent> registered{
    "independent",
    "worker by worker without a gang, as stock Kubernetes does; shows hoarding and deadlock"};

}  // namespace
}  // namespace muster
