#include <algorithm>
#include <cmath>

#include "../rounds/linear_program.hpp"
#include "../rounds/one_type.hpp"
#include "muster/core/check.hpp"
#include "muster/policy/parts/objective.hpp"

namespace muster {
namespace {

/// AlloX (Le et al., EuroSys'20, section 4): the sum of completion times is the least possible. A job that
/// is k-th from the last on a machine is waited for by k jobs, itself included, so it costs k x the time
/// that it takes there; which job takes which place is a matching of least cost. Here the machines of a type
/// are alike, and a job of several GPUs takes as many places (AlloX' jobs have one); the program of the
/// matching has whole numbers for an answer if all have one GPU. Those who stand first on their machines
/// have them now, the others nothing.
class Allox final : public Objective {
 public:
  Allocation allocate(const Contest& contest) override {
    if (rounds::each_on_one_type(contest)) return shortest_first(contest);
    places_.clear();
    const rounds::LinearProgram::Solution s = solve(contest);
    Allocation a(contest.jobs.size(), contest.types());
    std::vector<double> left = contest.gpus;
    // From the places that are most waited for.
    std::stable_sort(places_.begin(), places_.end(),
                     [](const Place& x, const Place& y) { return x.from_last > y.from_last; });
    for (const Place& p : places_) {
      const double gpus = contest.jobs[p.job].gpus;
      if (s.x[static_cast<std::size_t>(p.column)] < 0.5 || left[p.type] < gpus) continue;
      left[p.type] -= gpus;
      a.set(p.job, p.type, 1);
    }
    return a;
  }

 private:
  struct Place {
    std::size_t job, type, from_last;
    rounds::LinearProgram::Column column;
  };

  /// Where nobody has a choice of types, the matching puts those with the least time per GPU in front.
  static Allocation shortest_first(const Contest& contest) {
    std::vector<std::pair<double, std::size_t>> line;
    for (std::size_t j = 0; j < contest.jobs.size(); ++j) {
      const Contender& c = contest.jobs[j];
      if (const std::size_t t = rounds::type_of(contest, c); t != rounds::kNowhere)
        line.emplace_back(c.left / c.speed[t] / c.gpus, j);
    }
    std::sort(line.begin(), line.end());
    Allocation a(contest.jobs.size(), contest.types());
    std::vector<double> left = contest.gpus;
    for (const auto& [time, j] : line) {
      const Contender& c = contest.jobs[j];
      const std::size_t t = rounds::type_of(contest, c);
      if (left[t] < c.gpus) continue;
      left[t] -= c.gpus;
      a.set(j, t, 1);
    }
    return a;
  }

  /// How many jobs may stand behind each other on the machines of a type.
  static std::size_t depth(const Contest& contest, std::size_t type) {
    double asked = 0;
    for (const Contender& c : contest.jobs) {
      if (!contest.runs_on(c, type)) continue;
      asked += c.gpus;
    }
    return asked == 0 ? 0 : static_cast<std::size_t>(std::ceil(asked / contest.gpus[type]));
  }

  static double longest_time(const Contest& contest) {
    double longest = 0;
    for (const Contender& c : contest.jobs)
      for (std::size_t t = 0; t < contest.types(); ++t)
        if (contest.runs_on(c, t)) longest = std::max(longest, c.left / c.speed[t]);
    return longest;
  }

  rounds::LinearProgram::Solution solve(const Contest& contest) {
    rounds::LinearProgram p;
    const double longest = longest_time(contest);  // CLP wants numbers around 1
    std::vector<rounds::LinearProgram::Terms> of_job(contest.jobs.size());
    for (std::size_t t = 0; t < contest.types(); ++t)
      for (std::size_t k = 1; k <= depth(contest, t); ++k) {
        rounds::LinearProgram::Terms taken;
        for (std::size_t j = 0; j < contest.jobs.size(); ++j) {
          const Contender& c = contest.jobs[j];
          if (!contest.runs_on(c, t)) continue;
          const auto column = p.column(-static_cast<double>(k) * (c.left / c.speed[t] / longest));
          places_.push_back({j, t, k, column});
          of_job[j].push_back({column, 1});
          taken.push_back({column, c.gpus});
        }
        p.row(-rounds::kInfinite, contest.gpus[t], std::move(taken));
      }
    for (auto& terms : of_job)
      if (!terms.empty()) p.row(1, 1, std::move(terms));
    auto s = p.maximise();
    MUSTER_CHECK(s.found);
    return s;
  }

  std::vector<Place> places_;
};

const Objectives::Add<Allox> registered{"allox",
                                        "the least sum of completion times, by a matching"};

}  // namespace
}  // namespace muster
