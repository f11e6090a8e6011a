#include "../rounds/shares.hpp"

namespace muster {
namespace {

/// The last job that is here ends as early as possible: the least of throughput(m, X) / work left is the
/// largest possible (Narayanan et al., OSDI'20, section 4.2). Then the second least, a few times: what the
/// first one leaves open.
class Makespan final : public Objective {
 public:
  Allocation allocate(const Contest& contest) override {
    rounds::Coefficients all;
    for (const Contender& c : contest.jobs) {
      all.push_back(c.speed);
      for (double& v : all.back()) v /= c.left;
    }
    return rounds::max_min(contest, all, kLevels);
  }

 private:
  /// Jobs that are alone at their level would take a program each.
  static constexpr std::size_t kLevels = 4;
};

const Objectives::Add<Makespan> registered{"makespan",
                                           "the last of the jobs ends as early as possible"};

}  // namespace
}  // namespace muster
