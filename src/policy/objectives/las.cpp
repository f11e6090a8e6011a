#include "../rounds/shares.hpp"

namespace muster {
namespace {

/// Max-min fairness, by which Gavel makes least attained service aware of types (Narayanan et al., OSDI'20,
/// section 4.1): the least
///   throughput(m, X) / throughput(m, X equal) x gpus / weight
/// shall be the largest possible, with X equal the same time on every GPU; then the second least, and so on.
class Las final : public Objective {
 public:
  Allocation allocate(const Contest& contest) override {
    rounds::Coefficients all;
    for (const Contender& c : contest.jobs) {
      const double equal = equal_throughput(contest, c);
      all.push_back(c.speed);
      for (double& v : all.back()) v = equal > 0 ? v * c.gpus / (equal * c.weight) : 0;
    }
    return rounds::max_min(contest, all);
  }
  bool by_estimates() const override { return false; }
};

const Objectives::Add<Las> registered{
    "las", "max-min fairness over what jobs get done, relative to an equal share"};

}  // namespace
}  // namespace muster
