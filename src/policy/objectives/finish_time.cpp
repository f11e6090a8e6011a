#include <algorithm>

#include "../rounds/shares.hpp"

namespace muster {
namespace {

/// Finish-time fairness: the largest of
///   rho(m) = (age + work left / throughput(m, X)) / (isolated so far + work left / isolated throughput)
/// is the least possible (Mahajan et al., NSDI'20, section 3; aware of types in Narayanan et al., OSDI'20,
/// section 4.2). "Isolated" is what an n-th of the fleet would do, n being how many jobs there are.
///
/// For a given rho the throughputs that are needed are linear in the shares. So a program asks by which
/// common factor they can be surpassed; the rho of its answer is better, and so on until it is no more.
class FinishTime final : public Objective {
 public:
  Allocation allocate(const Contest& contest) override {
    collect(contest);
    double rho = at_equal_shares(contest);
    Allocation best = rounds::max_min(contest, needs(contest, rho), 1);
    for (int step = 0; step < kSteps; ++step) {
      const double better = worst(contest, best);
      if (!(better < rho * (1 - kEnough))) break;
      rho = better;
      best = rounds::max_min(contest, needs(contest, rho), 1);
    }
    return best;
  }

 private:
  static constexpr int kSteps = 40;  // a dozen is many
  static constexpr double kEnough = 1e-4;

  struct Job {
    double isolated = 0;  // seconds that it takes with an equal share, all in all
    double best = 0;      // speed
  };

  void collect(const Contest& contest) {
    jobs_.clear();
    for (const Contender& c : contest.jobs) {
      const double speed = isolated_throughput(contest, c);
      jobs_.push_back({speed > 0 ? c.isolated + c.left / speed : 0, best_speed(contest, c)});
    }
  }

  double rho(const Contest& contest, std::size_t j, double throughput) const {
    return (contest.jobs[j].age + contest.jobs[j].left / throughput) / jobs_[j].isolated;
  }

  /// The worst rho if everybody had an equal share: surely possible.
  double at_equal_shares(const Contest& contest) const {
    double worst = 0;
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      if (jobs_[j].best > 0)
        worst = std::max(worst, rho(contest, j, isolated_throughput(contest, contest.jobs[j])));
    return worst;
  }

  double worst(const Contest& contest, const Allocation& a) const {
    double worst = 0;
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      if (jobs_[j].best > 0) worst = std::max(worst, rho(contest, j, throughput(contest, a, j)));
    return worst;
  }

  /// Speeds over the throughput that each job needs for `rho`.
  rounds::Coefficients needs(const Contest& contest, double rho) const {
    rounds::Coefficients all;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      const Contender& c = contest.jobs[j];
      const double need = c.left / (rho * jobs_[j].isolated - c.age);
      all.push_back(c.speed);
      for (double& v : all.back()) v = jobs_[j].best > 0 ? v / need : 0;
    }
    return all;
  }

  std::vector<Job> jobs_;
};

const Objectives::Add<FinishTime> registered{
    "finish_time",
    "Themis' rho: nobody ends much later than with a fleet of its own, an n-th of this"};

}  // namespace
}  // namespace muster
