#include "shares.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "growing_program.hpp"
#include "muster/core/check.hpp"
#include "one_type.hpp"

namespace muster::rounds {
namespace {

/// What is smaller, of numbers around 1, is an error of the arithmetic.
constexpr double kNothing = 1e-9;
/// By how much of itself a level that was found is given up, so that the next program is not empty for
/// its last bit.
constexpr double kSlack = 1e-9;

std::vector<double> kind_of(const Contest& contest, const Coefficients& coefficients,
                            std::size_t job) {
  std::vector<double> kind = coefficients[job];
  const Contender& c = contest.jobs[job];
  kind.push_back(c.gpus);
  for (std::size_t t = 0; t < contest.types(); ++t) kind.push_back(contest.runs_on(c, t) ? 1 : 0);
  return kind;
}

}  // namespace

ShareProgram::ShareProgram(const Contest& contest, const Coefficients& coefficients)
    : contest_(contest) {
  std::map<std::vector<double>, std::size_t> known;
  for (std::size_t j = 0; j < contest.jobs.size(); ++j) {
    const auto [at, fresh] = known.try_emplace(kind_of(contest, coefficients, j), members_.size());
    if (fresh)
      add_class(j);
    else
      members_[at->second].push_back(j);
  }
  add_rows();
}

ShareProgram::ShareProgram(const Contest& contest) : contest_(contest) {
  for (std::size_t j = 0; j < contest.jobs.size(); ++j) add_class(j);
  add_rows();
}

void ShareProgram::add_class(std::size_t job) {
  members_.push_back({job});
  columns_.emplace_back(contest_.types(), -1);
  for (std::size_t t = 0; t < contest_.types(); ++t)
    if (contest_.runs_on(contest_.jobs[job], t)) columns_.back()[t] = program_.column(0);
}

void ShareProgram::add_rows() {
  std::vector<LinearProgram::Terms> of_type(contest_.types());
  for (std::size_t k = 0; k < classes(); ++k) {
    LinearProgram::Terms time;
    for (std::size_t t = 0; t < contest_.types(); ++t) {
      if (columns_[k][t] < 0) continue;
      time.push_back({columns_[k][t], 1});
      of_type[t].push_back({columns_[k][t], contest_.jobs[first_of(k)].gpus});
    }
    program_.row(-kInfinite, size_of(k), std::move(time));
  }
  for (std::size_t t = 0; t < contest_.types(); ++t)
    program_.row(-kInfinite, contest_.gpus[t], std::move(of_type[t]));
}

LinearProgram::Terms ShareProgram::terms(std::size_t cls, const std::vector<double>& row) const {
  LinearProgram::Terms out;
  for (std::size_t t = 0; t < row.size(); ++t)
    if (columns_[cls][t] >= 0) out.push_back({columns_[cls][t], row[t] / size_of(cls)});
  return out;
}

Allocation ShareProgram::allocation(const std::vector<double>& x) const {
  Allocation a(contest_.jobs.size(), contest_.types());
  for (std::size_t k = 0; k < classes(); ++k)
    for (std::size_t t = 0; t < contest_.types(); ++t)
      if (columns_[k][t] >= 0)
        for (const std::size_t j : members_[k])
          a.set(j, t, x[static_cast<std::size_t>(columns_[k][t])] / size_of(k));
  return a;
}

namespace {

/// The best that the job could have alone who is worst off even then.
double poorest_best(const Contest& contest, const Coefficients& coefficients) {
  double poorest = kInfinite;
  for (std::size_t j = 0; j < contest.jobs.size(); ++j) {
    double best = 0;
    for (std::size_t t = 0; t < contest.types(); ++t)
      if (contest.runs_on(contest.jobs[j], t)) best = std::max(best, coefficients[j][t]);
    if (best > 0) poorest = std::min(poorest, best);
  }
  return poorest;
}

/// The steps of max_min(): who has reached a level stays there, the others rise as far as they can.
class Levels {
 public:
  Levels(const Contest& contest, const Coefficients& coefficients, double unit)
      : contest_(contest), coefficients_(coefficients), unit_(unit) {}

  /// What is found is the same wherever a program begins, but which shares get there is not if several do: these are of
  /// a program that was solved from nothing, so that they depend on the contest alone.
  Allocation allocate(std::size_t most) {
    ShareProgram shares(contest_, coefficients_);
    reached_.assign(shares.classes(), -1);
    LinearProgram::Column level = add_rows(shares);
    GrowingProgram program(shares.program());
    LinearProgram::Solution s = program.maximise();
    MUSTER_CHECK(s.found);
    double kept = 0, best = s.best;
    std::size_t found = 1;
    for (; settle(s, best) > 0 && found < most; ++found) {
      // All keep what they have reached, and the others rise above that.
      program.fix(level, best * (1 - kSlack) - kept);
      kept = best * (1 - kSlack);
      std::vector<std::pair<int, double>> above;
      for (std::size_t k = 0; k < rows_.size(); ++k)
        if (rises(k)) above.emplace_back(rows_[k], -1);
      level = program.column(1, above);
      before_ = reached_;
      s = program.maximise();
      MUSTER_CHECK(s.found);
      best = kept + s.best;
    }
    return found == 1 ? shares.allocation(s.x) : last();
  }

 private:
  bool rises(std::size_t cls) const { return rows_[cls] >= 0 && reached_[cls] < 0; }

  /// What each class has at least, and the level that the rising ones share.
  LinearProgram::Column add_rows(ShareProgram& shares) {
    LinearProgram& p = shares.program();
    const LinearProgram::Column level = p.column(1);
    rows_.assign(shares.classes(), -1);
    for (std::size_t k = 0; k < shares.classes(); ++k) {
      LinearProgram::Terms terms = shares.terms(k, coefficients_[shares.first_of(k)]);
      if (terms.empty()) continue;
      for (auto& [column, value] : terms) value /= unit_;
      if (reached_[k] < 0) terms.push_back({level, -1});
      rows_[k] = p.row(std::max(reached_[k], 0.0) * (1 - kSlack), kInfinite, std::move(terms));
    }
    return level;
  }

  /// A class whose row has a price is at its level in every best solution. Returns how many rise on.
  std::size_t settle(const LinearProgram::Solution& s, double best) {
    const auto price = [&](std::size_t k) {
      return std::abs(s.price[static_cast<std::size_t>(rows_[k])]);
    };
    double dearest = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (rises(k)) dearest = std::max(dearest, price(k));
    std::size_t left = 0, settled = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (!rises(k)) continue;
      if (price(k) > kNothing * dearest)
        reached_[k] = best, ++settled;
      else
        ++left;
    }
    // No price at all: the level can't rise for reasons that arithmetic hides, and nothing more is found.
    return settled == 0 ? 0 : left;
  }

  Allocation last() {
    reached_ = before_;
    ShareProgram shares(contest_, coefficients_);
    add_rows(shares);
    const LinearProgram::Solution s = shares.program().maximise();
    MUSTER_CHECK(s.found);
    return shares.allocation(s.x);
  }

  const Contest& contest_;
  const Coefficients& coefficients_;
  double unit_;                  // levels are multiples of this, so that CLP sees numbers around 1
  std::vector<double> reached_;  // by class; below 0: not yet
  std::vector<double> before_;   // the same before the last step
  std::vector<int> rows_;        // by class; below 0: it runs nowhere
};

}  // namespace

Allocation max_min(const Contest& contest, const Coefficients& coefficients, std::size_t levels) {
  if (each_on_one_type(contest)) return level_out(contest, coefficients);
  const double unit = poorest_best(contest, coefficients);
  if (unit == kInfinite) return {contest.jobs.size(), contest.types()};
  return Levels{contest, coefficients, unit}.allocate(levels);
}

Allocation max_sum(const Contest& contest, const Coefficients& coefficients) {
  if (each_on_one_type(contest)) return best_first(contest, coefficients);
  ShareProgram shares(contest);
  for (std::size_t k = 0; k < shares.classes(); ++k)
    for (std::size_t t = 0; t < contest.types(); ++t)
      if (const auto c = shares.column(k, t); c >= 0)
        shares.program().set_cost(c, coefficients[shares.first_of(k)][t]);
  const LinearProgram::Solution s = shares.program().maximise();
  MUSTER_CHECK(s.found);
  return shares.allocation(s.x);
}

}  // namespace muster::rounds
