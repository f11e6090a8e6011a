#include <algorithm>

#include "../rounds/matching.hpp"
#include "../rounds/one_type.hpp"
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
    std::vector<rounds::Matching::Place> places = rounds::Matching{contest}.solve();
    // From those that are most waited for.
    std::stable_sort(places.begin(), places.end(), [](const auto& x, const auto& y) {
      return x.from_last != y.from_last ? x.from_last > y.from_last : x.type < y.type;
    });
    Allocation a(contest.jobs.size(), contest.types());
    std::vector<double> left = contest.gpus;
    for (const auto& [job, type, from_last] : places) {
      const double gpus = contest.jobs[job].gpus;
      if (left[type] < gpus) continue;
      left[type] -= gpus;
      a.set(job, type, 1);
    }
    return a;
  }

 private:
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
};

const Objectives::Add<Allox> registered{"allox",
                                        "the least sum of completion times, by a matching"};

}  // namespace
}  // namespace muster
