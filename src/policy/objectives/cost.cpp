#include <algorithm>

#include "../rounds/shares.hpp"
#include "muster/core/check.hpp"

namespace muster {
namespace {

/// Most work for the money: the sum of throughput(m, X) / throughput on its best type x gpus, over the price
/// of the GPUs in use, is the largest possible, and of the allocations of which that is true the fullest is
/// taken (Narayanan et al., OSDI'20, section 4.2). Jobs with a deadline are given what they need to meet it;
/// if that is more than there is, all of them the same part of it. The ratio is found by Dinkelbach's method
/// (Management Science 13(7), 1967): a program that maximises work - ratio x price has the answer 0 at the
/// best ratio.
class Cost final : public Objective {
 public:
  Allocation allocate(const Contest& contest) override {
    if (contest.types() == 1) return all_the_same_price(contest);
    const double kept = part_of_deadlines(contest);
    double ratio = 0;
    for (int step = 0; step < kSteps; ++step) {
      const rounds::LinearProgram::Solution s = solve(contest, kept, Goal::profit, ratio);
      const double paid = sum(contest, s, Value::price);
      if (!(paid > 0)) break;
      const double better = sum(contest, s, Value::work) / paid;
      if (!(better > ratio * (1 + kEnough))) break;
      ratio = better;
    }
    rounds::ShareProgram shares(contest);
    return shares.allocation(solve(contest, kept, Goal::fullest, ratio).x);
  }
  bool first_come() const override { return true; }

 private:
  enum class Goal : std::uint8_t { profit, fullest };
  enum class Value : std::uint8_t { work, price };
  static constexpr int kSteps = 40;
  static constexpr double kEnough = 1e-9;

  static double value(const Contest& contest, std::size_t j, std::size_t t, Value what) {
    const Contender& c = contest.jobs[j];
    return what == Value::price ? contest.price[t] * c.gpus
                                : c.speed[t] / best_speed(contest, c) * c.gpus;
  }

  static double need(const Contest& contest, std::size_t j) {
    const Contender& c = contest.jobs[j];
    if (c.deadline == rounds::kInfinite) return 0;
    const double most = best_speed(contest, c);
    return c.deadline > 0 ? std::min(c.left / c.deadline, most) : most;
  }

  /// All GPUs cost the same: the ratio is no question, and beyond what deadlines need who came first is served.
  static Allocation all_the_same_price(const Contest& contest) {
    std::vector<double> share(contest.jobs.size());
    double asked = 0;
    for (std::size_t j = 0; j < share.size(); ++j)
      if (const Contender& c = contest.jobs[j]; contest.runs_on(c, 0)) {
        share[j] = need(contest, j) / c.speed[0];
        asked += share[j] * c.gpus;
      }
    const double kept = asked > contest.gpus[0] ? contest.gpus[0] / asked : 1;
    double left = contest.gpus[0] - asked * kept;
    Allocation a(contest.jobs.size(), 1);
    for (std::size_t j = 0; j < share.size(); ++j) {
      const Contender& c = contest.jobs[j];
      if (!contest.runs_on(c, 0)) continue;
      share[j] *= kept;
      const double more = std::min(1 - share[j], std::max(left, 0.0) / c.gpus);
      left -= more * c.gpus;
      a.set(j, 0, share[j] + more);
    }
    return a;
  }

  /// The largest part of what jobs with a deadline need that all of them can have.
  static double part_of_deadlines(const Contest& contest) {
    rounds::ShareProgram shares(contest);
    rounds::LinearProgram& p = shares.program();
    const auto part = p.column(1);
    p.row(-rounds::kInfinite, 1, {{part, 1}});
    for (std::size_t j = 0; j < contest.jobs.size(); ++j) {
      auto terms = shares.terms(j, contest.jobs[j].speed);
      if (terms.empty() || need(contest, j) == 0) continue;
      terms.push_back({part, -need(contest, j)});
      p.row(0, rounds::kInfinite, std::move(terms));
    }
    const auto s = p.maximise();
    MUSTER_CHECK(s.found);
    return s.best;
  }

  static rounds::LinearProgram::Solution solve(const Contest& contest, double kept, Goal goal,
                                               double ratio) {
    rounds::ShareProgram shares(contest);
    rounds::LinearProgram& p = shares.program();
    rounds::LinearProgram::Terms profit;
    for (std::size_t j = 0; j < contest.jobs.size(); ++j) {
      for (std::size_t t = 0; t < contest.types(); ++t) {
        const auto c = shares.column(j, t);
        if (c < 0) continue;
        const double gain =
            value(contest, j, t, Value::work) - ratio * value(contest, j, t, Value::price);
        profit.push_back({c, gain});
        p.set_cost(c, goal == Goal::profit ? gain : contest.jobs[j].gpus);
      }
      auto terms = shares.terms(j, contest.jobs[j].speed);
      if (!terms.empty() && need(contest, j) > 0)
        p.row(need(contest, j) * kept * (1 - kEnough), rounds::kInfinite, std::move(terms));
    }
    if (goal == Goal::fullest) p.row(-kEnough, rounds::kInfinite, std::move(profit));
    auto s = p.maximise();
    MUSTER_CHECK(s.found);
    return s;
  }

  static double sum(const Contest& contest, const rounds::LinearProgram::Solution& s, Value what) {
    rounds::ShareProgram shares(contest);
    double total = 0;
    for (std::size_t j = 0; j < contest.jobs.size(); ++j)
      for (std::size_t t = 0; t < contest.types(); ++t)
        if (const auto c = shares.column(j, t); c >= 0)
          total += value(contest, j, t, what) * s.x[static_cast<std::size_t>(c)];
    return total;
  }
};

const Objectives::Add<Cost> registered{"cost", "most work for the money, deadlines kept"};

}  // namespace
}  // namespace muster
