// max_min() goes from level to level without beginning anew: here each level is a program of its own, solved from nothing.

#include <algorithm>
#include <cmath>

#include "contest.hpp"
#include "muster/core/random.hpp"
#include "policy/rounds/shares.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// A few models on more GPUs than most jobs need, so that levels are many.
Contest drawn(std::uint64_t seed) {
  Stream r(seed, "levels");
  std::vector<std::vector<double>> models;
  for (std::size_t m = 0; m < 6; ++m)
    models.push_back({0.2 + r.uniform(), 0.2 + r.uniform(), r.chance(0.2) ? 0 : 0.2 + r.uniform()});
  std::vector<Contender> jobs;
  double asked = 0;
  for (std::size_t j = 0, n = 5 + r.below(30); j < n; ++j) {
    jobs.push_back(contender(models[r.below(6)], static_cast<double>(1U << r.below(3))));
    asked += jobs.back().gpus;
  }
  const double each = std::ceil(asked * (0.1 + 0.3 * r.uniform()));
  return contest({each, std::ceil(each / 2), each}, jobs);
}

struct Answer {
  std::size_t levels = 0;
  Allocation shares{0, 0};
};

Answer one_by_one(const Contest& c, const rounds::Coefficients& all, double unit) {
  Answer answer;
  std::vector<double> reached;
  for (;;) {
    rounds::ShareProgram shares(c, all);
    reached.resize(shares.classes(), -1);
    const auto level = shares.program().column(1);
    std::vector<int> rows(shares.classes(), -1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      auto terms = shares.terms(k, all[shares.first_of(k)]);
      if (terms.empty()) continue;
      for (auto& [column, value] : terms) value /= unit;
      if (reached[k] < 0) terms.push_back({level, -1});
      rows[k] = shares.program().row(std::max(reached[k], 0.0) * (1 - 1e-9), rounds::kInfinite,
                                     std::move(terms));
    }
    const auto s = shares.program().maximise();
    ++answer.levels;
    answer.shares = shares.allocation(s.x);
    const auto price = [&](std::size_t k) {
      return std::abs(s.price[static_cast<std::size_t>(rows[k])]);
    };
    double dearest = 0;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k] >= 0 && reached[k] < 0) dearest = std::max(dearest, price(k));
    std::size_t left = 0, settled = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows[k] < 0 || reached[k] >= 0) continue;
      if (price(k) > 1e-9 * dearest)
        reached[k] = s.best, ++settled;
      else
        ++left;
    }
    if (settled == 0 || left == 0) return answer;
  }
}

}  // namespace

TEST_CASE(
    "max_min: levels that begin where the last one ended are those of programs solved from "
    "nothing") {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const Contest c = drawn(seed);
    rounds::Coefficients all;
    double poorest = rounds::kInfinite;
    for (const Contender& j : c.jobs) {
      all.push_back(j.speed);
      double best = 0;
      for (std::size_t t = 0; t < c.types(); ++t)
        if (c.runs_on(j, t)) best = std::max(best, j.speed[t]);
      if (best > 0) poorest = std::min(poorest, best);
    }
    const Answer answer = one_by_one(c, all, poorest);
    most = std::max(most, answer.levels);
    const Allocation a = rounds::max_min(c, all);
    for (std::size_t j = 0; j < c.jobs.size(); ++j)
      for (std::size_t t = 0; t < c.types(); ++t) CHECK(a.part(j, t) == answer.shares.part(j, t));
  }
  CHECK(most > 5);
}
