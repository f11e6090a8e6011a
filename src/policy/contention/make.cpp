#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "muster/policy/contention.hpp"
#include "muster/policy/job_steps.hpp"
#include "muster/policy/parts/choose_part.hpp"
#include "muster/workload/workload.hpp"
#include "policy/contention/kinds.hpp"

namespace muster {
namespace {

/// Two kinds of contention for different jobs: nobody who has a share of a GPU has several nodes.
class Both final : public Contention {
 public:
  Both(std::unique_ptr<Contention> a, std::unique_ptr<Contention> b)
      : a_(std::move(a)), b_(std::move(b)) {}
  void came(JobId job, std::span<const Slice> where) override {
    a_->came(job, where);
    b_->came(job, where);
  }
  void went(JobId job, std::span<const Slice> where) override {
    a_->went(job, where);
    b_->went(job, where);
  }
  std::span<const Factor> changes() override {
    const auto a = a_->changes(), b = b_->changes();
    all_.resize(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), all_.begin(),
               [](const Factor& x, const Factor& y) { return x.job < y.job; });
    return all_;
  }
  void links(std::span<const std::uint32_t> links, double health) override {
    b_->links(links, health);
  }
  Price price(const Demand& d, std::span<const Slice> where) override {
    return b_->price(d, where);
  }
  bool same_everywhere(const Demand& d) const override { return b_->same_everywhere(d); }
  std::vector<Term> terms(JobId job) const override {
    std::vector<Term> terms = a_->terms(job);
    return terms.empty() ? b_->terms(job) : terms;
  }

 private:
  std::unique_ptr<Contention> a_, b_;
  std::vector<Factor> all_;
};

}  // namespace

void CostOptions::walk(ParamVisitor& visit) {
  static constexpr std::array<std::string_view, 2> kDemand{"mean", "steady"};
  static constexpr std::array<std::string_view, 2> kPattern{"ring", "all_to_all"};
  visit.visit(
      "contention", contention,
      "jobs of several nodes share the links between these, and readers the storage; false: "
      "nobody notices anybody");
  visit.visit(
      "steps", steps,
      "what jobs of a model of the trace train, as {\"gpt\": \"gpt3-175b:tp=8,pp=8\"}: they "
      "get on at the speed of that step");
  visit.visit("named", named,
              "the models of the trace are such themselves (llama3-8b, or llama3-8b:tp=2), as far "
              "as there is one of that name");
  visit.visit(
      "communication", communication, 0.0, 0.99,
      "the share of its time that a job of several nodes waits for its network where each NIC "
      "has all it is built for; 0: never");
  visit.visit("models", models,
              "the same in per cent for jobs of a model of the trace, as {\"gpt\": 40}; others as "
              "communication says");
  visit.choice("demand", demand, kDemand,
               "mean: a job asks a link for what it sends over time, as if neighbours took turns; "
               "steady: as if it were always sending");
  visit.choice("pattern", pattern, kPattern,
               "ring: what goes out of one node goes once out of each leaf and pod (rings, trees); "
               "all_to_all: each node sends alike to all others of its job");
  visit.visit("efficiency", efficiency, 0.01, 1.0,
              "what flows get of a link between switches: less than 1 where they collide");
  visit.visit("overlap", overlap,
              "steps hide communication beside computation; false: all of it is waited for");
  visit.visit("calibration", calibration,
              "numbers that steps are reckoned with: a file, or one that is shipped; published if "
              "nothing is said");
  choose_part<MappingRegistry>(visit, "mapping", mapping, "which rank of a step sits on which GPU");
}

std::string guessed_text(const Workload& w, const CostOptions& cost) {
  if (!cost.of_use()) {
    const CostOptions usual;
    if (cost.demand == usual.demand && cost.pattern == usual.pattern &&
        cost.efficiency == usual.efficiency && cost.overlap && cost.calibration.empty() &&
        cost.mapping == usual.mapping)
      return {};
    return "cost_unused: no job communicates (/cost/communication, /cost/models, /cost/steps), so "
           "nothing that /cost says makes a difference";
  }
  std::size_t guessed = 0;
  for (std::uint32_t j = 0; j < w.size(); ++j) {
    const NameId model = Workload::at_or(w.model, JobId{j}, NameId{});
    const bool trained = cost.trainings && cost.trainings->by_model.contains(w.names[model]);
    guessed += trained || cost.models.contains(std::string{w.names[model]}) ? 0 : 1;
  }
  if (guessed == 0) return {};
  return "network_guessed: " + std::to_string(guessed) + " of " + std::to_string(w.size()) +
         " jobs have no model that /cost/models lists: where they have several nodes they are "
         "taken to communicate for " +
         std::to_string(std::llround(cost.communication * 100)) +
         " % of their time (/cost/communication); list their models in /cost/models, with per "
         "cents, or in /cost/steps, with what they train";
}

std::shared_ptr<JobSteps> make_job_steps(const Workload& w, const Fleet& fleet,
                                         const CostOptions& cost) {
  if (!cost.trainings || cost.trainings->by_model.empty()) return nullptr;
  return std::make_shared<JobSteps>(w, fleet, cost.trainings);
}

std::unique_ptr<Contention> make_contention(const Workload& w, const Fleet& fleet,
                                            const SpeedOptions& options, const CostOptions& cost,
                                            std::shared_ptr<JobSteps> steps) {
  std::unique_ptr<Contention> shares, network;
  if (options.interference != 0) shares = shared_gpus(w, options.interference);
  if (cost.of_use()) network = network_contention(w, fleet, cost, std::move(steps));
  if (shares && network) return std::make_unique<Both>(std::move(shares), std::move(network));
  return shares ? std::move(shares) : std::move(network);
}

}  // namespace muster
