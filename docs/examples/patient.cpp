// A policy of one's own, from outside of muster: docs/writing-a-policy.md walks through it.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "muster/cluster/fit.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/words.hpp"
#include "muster/policy/plugin.hpp"
#include "muster/policy/registry.hpp"

MUSTER_PLUGIN;

namespace {

using namespace muster;

/// First come, first served, but a job that does not fit lets others pass for as long as its patience
/// lasts, and nobody after that: backfill without estimates, and without starvation.
class Patient final : public Policy {
 public:
  struct Params {
    Duration patience = std::chrono::hours{1};
    std::string placer = "pack";

    void walk(ParamVisitor& visit) {
      visit.visit("patience", patience, "how long a job that does not fit lets others pass");
      choose_part<Placers>(visit, "placer", placer, "where a gang goes");
    }
  };

  explicit Patient(const Params& params) : params_(params) {}

  void begin(const View& view, std::uint64_t seed) override {
    placer_ = Placers::all().at(params_.placer).make(seed);
    empty_.emplace(view.cluster);
  }

  std::optional<Rejection> refuse(const View& view, JobId job) override {
    return never_fits(view, *empty_, job);
  }

  void decide(const View& view, Plan& plan) override {
    waiting_.insert(waiting_.end(), view.joined.begin(), view.joined.end());
    for (const JobId job : view.left) std::erase(waiting_, job);

    std::vector<JobId> still;
    bool closed = false;  // somebody ahead has run out of patience
    for (const JobId job : waiting_) {
      if (!closed && placer_->place(view.cluster, demand(view, job), slices_)) {
        plan.start(job, slices_);
        placer_->started();
      } else {
        closed |= impatient(view, job);
        still.push_back(job);
      }
    }
    waiting_ = std::move(still);
    for (const JobId job : waiting_) plan.explain(view.jobs.shape(job), cause(view, job));
  }

  Explanation explain(const View& view, JobId job) override {
    Explanation e;
    e.cause = cause(view, job);
    const Fit f = fit(view.cluster, demand(view, job));
    e.text = f == Fit::yes ? "fits, but a job ahead of it has waited for longer than " +
                                 at_text(kStart + params_.patience) + " and lets nobody pass"
                           : misfit_text(view, demand(view, job), f);
    e.remedy = relief_text(view, demand(view, job));
    return e;
  }

 private:
  static const Demand& demand(const View& view, JobId job) {
    return view.demands[view.jobs.shape(job)];
  }
  bool impatient(const View& view, JobId job) const {
    return view.now - view.jobs.submit(job) >= params_.patience;
  }
  static Cause cause(const View& view, JobId job) {
    return cause_of_misfit(fit(view.cluster, demand(view, job)));
  }

  Params params_;
  std::unique_ptr<Placer> placer_;
  std::optional<Cluster> empty_;  // the fleet with nobody on it
  std::vector<JobId> waiting_;    // in the order of submission
  std::vector<Slice> slices_;
};

const RegisterPolicy<Patient> registered{
    "patient", "FIFO that lets others pass for a while (docs/writing-a-policy.md)"};

}  // namespace
