#include <algorithm>
#include <array>
#include <vector>

#include "muster/policy/contention.hpp"
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
  visit.choice("demand", demand, kDemand,
               "mean: a job asks a link for what it sends over time, as if neighbours took turns; "
               "steady: as if it were always sending");
  visit.choice("pattern", pattern, kPattern,
               "ring: what goes out of one node goes once out of each leaf and pod (rings, trees); "
               "all_to_all: each node sends alike to all others of its job");
  visit.visit("efficiency", efficiency, 0.01, 1.0,
              "what flows get of a link between switches: less than 1 where they collide");
}

std::unique_ptr<Contention> make_contention(const Workload& w, const Fleet& fleet,
                                            const SpeedOptions& options, const CostOptions& cost) {
  std::unique_ptr<Contention> shares, network;
  if (options.interference != 0) shares = shared_gpus(w, options.interference);
  if (cost.contention && cost.communication > 0) network = network_contention(fleet, cost);
  if (shares && network) return std::make_unique<Both>(std::move(shares), std::move(network));
  return shares ? std::move(shares) : std::move(network);
}

}  // namespace muster
