#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "muster/policy/contention.hpp"
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
  visit.visit("contention", contention,
              "jobs of several nodes share the links between these; false: nobody notices anybody");
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
}

std::string guessed_text(const Workload& w, const CostOptions& cost) {
  if (!cost.contention) return {};
  std::size_t guessed = 0;
  for (std::uint32_t j = 0; j < w.size(); ++j) {
    const NameId model = Workload::at_or(w.model, JobId{j}, NameId{});
    guessed += cost.models.contains(std::string{w.names[model]}) ? 0 : 1;
  }
  if (guessed == 0) return {};
  return "network_guessed: " + std::to_string(guessed) + " of " + std::to_string(w.size()) +
         " jobs have no model that /cost/models lists: where they have several nodes they are "
         "taken "
         "to communicate for " +
         std::to_string(std::llround(cost.communication * 100)) + " % of their time";
}

std::unique_ptr<Contention> make_contention(const Workload& w, const Fleet& fleet,
                                            const SpeedOptions& options, const CostOptions& cost) {
  std::unique_ptr<Contention> shares, network;
  if (options.interference != 0) shares = shared_gpus(w, options.interference);
  if (cost.contention) network = network_contention(w, fleet, cost);
  if (shares && network) return std::make_unique<Both>(std::move(shares), std::move(network));
  return shares ? std::move(shares) : std::move(network);
}

}  // namespace muster
