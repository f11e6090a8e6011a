#include <algorithm>
#include <numeric>

#include "../rounds/shares.hpp"

namespace muster {
namespace {

/// The sum of throughput(m, X) / throughput on its best type x (jobs - place in line) is the largest
/// possible (Narayanan et al., OSDI'20, section 4.2, FIFO); times the GPUs of the job, or narrow ones would
/// jump the line.
Allocation in_order(const Contest& contest, const std::vector<std::size_t>& line) {
  rounds::Coefficients all(contest.jobs.size());
  for (std::size_t place = 0; place < line.size(); ++place) {
    const Contender& c = contest.jobs[line[place]];
    const double best = best_speed(contest, c);
    const double claim = static_cast<double>(line.size() - place) * c.gpus;
    all[line[place]] = c.speed;
    for (double& v : all[line[place]]) v = best > 0 ? v / best * claim : 0;
  }
  return rounds::max_sum(contest, all);
}

std::vector<std::size_t> by_submission(const Contest& contest) {
  std::vector<std::size_t> line(contest.jobs.size());
  std::iota(line.begin(), line.end(), 0);
  return line;
}

/// First come, first served, and the best types to who came first.
class Fifo final : public Objective {
 public:
  Allocation allocate(const Contest& contest) override {
    return in_order(contest, by_submission(contest));
  }
  bool by_estimates() const override { return false; }
  bool first_come() const override { return true; }
};

/// The same with the jobs in order of the time that they need yet on their best types.
class Sjf final : public Objective {
 public:
  Allocation allocate(const Contest& contest) override {
    std::vector<std::size_t> line = by_submission(contest);
    std::vector<double> time;
    for (const Contender& c : contest.jobs) {
      const double best = best_speed(contest, c);
      time.push_back(best > 0 ? c.left / best : rounds::kInfinite);
    }
    std::stable_sort(line.begin(), line.end(),
                     [&](std::size_t a, std::size_t b) { return time[a] < time[b]; });
    return in_order(contest, line);
  }
};

const Objectives::Add<Fifo> fifo{"fifo", "who came first has the type that suits it best"};
const Objectives::Add<Sjf> sjf{"sjf", "who would end first has the type that suits it best"};

}  // namespace
}  // namespace muster
