#include "shares.hpp"

#include <algorithm>
#include <map>
#include <numeric>

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

/// One step of max_min(): who has reached a level stays there, the others rise as far as they can.
struct Levels {
  const Contest& contest;
  const Coefficients& coefficients;
  double unit;                  // levels are multiples of this, so that CLP sees numbers around 1
  std::vector<double> reached;  // by class; below 0: not yet

  LinearProgram::Solution raise(ShareProgram& shares, std::vector<int>& rows) const {
    LinearProgram& p = shares.program();
    const LinearProgram::Column level = p.column(1);
    rows.assign(shares.classes(), -1);
    for (std::size_t k = 0; k < shares.classes(); ++k) {
      LinearProgram::Terms terms = shares.terms(k, coefficients[shares.first_of(k)]);
      if (terms.empty()) continue;
      for (auto& [column, value] : terms) value /= unit;
      if (reached[k] < 0) terms.push_back({level, -1});
      rows[k] = p.row(std::max(reached[k], 0.0) * (1 - kSlack), kInfinite, std::move(terms));
    }
    return p.maximise();
  }

  /// A class whose row has a price is at its level in every best solution. Returns how many are left.
  std::size_t settle(const LinearProgram::Solution& s, const std::vector<int>& rows) {
    double dearest = 0;
    std::size_t left = 0, settled = 0;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k] >= 0 && reached[k] < 0)
        dearest = std::max(dearest, std::abs(s.price[static_cast<std::size_t>(rows[k])]));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows[k] < 0 || reached[k] >= 0) continue;
      if (std::abs(s.price[static_cast<std::size_t>(rows[k])]) > kNothing * dearest)
        reached[k] = s.best, ++settled;
      else
        ++left;
    }
    // No price at all: the level can't rise for reasons that arithmetic hides, and nothing more is found.
    return settled == 0 ? 0 : left;
  }
};

}  // namespace

Allocation max_min(const Contest& contest, const Coefficients& coefficients, std::size_t levels) {
  if (each_on_one_type(contest)) return level_out(contest, coefficients);
  const double scale = poorest_best(contest, coefficients);
  if (scale == kInfinite) return {contest.jobs.size(), contest.types()};
  Levels l{contest, coefficients, scale, {}};
  while (true) {
    ShareProgram shares(contest, coefficients);
    l.reached.resize(shares.classes(), -1);
    std::vector<int> rows;
    const LinearProgram::Solution s = l.raise(shares, rows);
    MUSTER_CHECK(s.found);
    if (l.settle(s, rows) == 0 || --levels == 0) return shares.allocation(s.x);
  }
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
