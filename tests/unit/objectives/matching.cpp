// AlloX' matching, which is solved by a part of its places, against the program with all of them.

#include "policy/rounds/matching.hpp"

#include <cmath>

#include "contest.hpp"
#include "muster/core/random.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// Some run on one type only, some nowhere; a few of them are alike.
Contest drawn(std::uint64_t seed) {
  Stream r(seed, "matching");
  std::vector<double> gpus;
  for (std::size_t t = 0, types = 2 + r.below(3); t < types; ++t)
    gpus.push_back(1 + static_cast<double>(r.below(12)));
  const bool gangs = r.chance(0.5), whole = r.chance(0.5);
  std::vector<Contender> jobs;
  for (std::size_t j = 0, n = 2 + r.below(40); j < n; ++j) {
    if (j > 0 && r.chance(0.2)) {
      jobs.push_back(jobs[r.below(j)]);
      continue;
    }
    std::vector<double> speed;
    for (std::size_t t = 0; t < gpus.size(); ++t)
      speed.push_back(r.chance(0.1) ? 0 : 0.2 + r.uniform());
    const double size = !gangs  ? 1
                        : whole ? 1 + static_cast<double>(r.below(4))
                                : 0.1 + r.uniform();
    jobs.push_back(contender(speed, size, r.lognormal(4, 1.5)));
  }
  return contest(gpus, jobs);
}

double longest_time(const Contest& c) {
  double longest = 0;
  for (const Contender& j : c.jobs)
    for (std::size_t t = 0; t < c.types(); ++t)
      if (c.runs_on(j, t)) longest = std::max(longest, j.left / j.speed[t]);
  return longest;
}

/// A column for each job, type and place that there might be.
double least_cost(const Contest& c) {
  rounds::LinearProgram p;
  std::vector<rounds::LinearProgram::Terms> of_job(c.jobs.size());
  const double longest = longest_time(c);
  for (std::size_t t = 0; t < c.types(); ++t) {
    double asked = 0;
    for (const Contender& j : c.jobs) asked += c.runs_on(j, t) ? j.gpus : 0;
    for (int k = 1; k <= std::ceil(asked / c.gpus[t]); ++k) {
      rounds::LinearProgram::Terms taken;
      for (std::size_t j = 0; j < c.jobs.size(); ++j) {
        if (!c.runs_on(c.jobs[j], t)) continue;
        const auto column = p.column(-k * (c.jobs[j].left / c.jobs[j].speed[t]) / longest);
        of_job[j].push_back({column, 1});
        taken.push_back({column, c.jobs[j].gpus});
      }
      p.row(-rounds::kInfinite, c.gpus[t], std::move(taken));
    }
  }
  for (auto& terms : of_job)
    if (!terms.empty()) p.row(1, 1, std::move(terms));
  return -p.maximise().best;
}

}  // namespace

TEST_CASE("the matching of a part of the places costs what that of all costs") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const Contest c = drawn(seed);
    rounds::Matching matching(c);
    const auto places = matching.solve();
    // CLP ends where nothing is better by 1e-7, and with all places it does so a little earlier once.
    const double least = least_cost(c);
    CHECK(matching.cost() <= least * (1 + 1e-9));
    CHECK(matching.cost() == Approx(least).epsilon(1e-8));
    std::size_t with_a_place = 0;
    for (const Contender& j : c.jobs) {
      bool any = false;
      for (std::size_t t = 0; t < c.types(); ++t) any |= c.runs_on(j, t);
      with_a_place += any ? 1 : 0;
    }
    CHECK(places.size() == with_a_place);
    for (const auto& place : places) CHECK(c.runs_on(c.jobs[place.job], place.type));
  }
}

// Two GPUs, jobs of one, two and one: the second job has half of itself in either place, whatever the last bit of the
// program says, and that counts as the place that is most waited for.
TEST_CASE("a job that stands half in one place and half in another one has one of them") {
  const Contest c = contest({2, 2}, {contender({1, 0}, 1, 1), contender({1, 0}, 2, 20),
                                     contender({1, 0}, 1, 100), contender({0, 1}, 1, 1)});
  const auto places = rounds::Matching(c).solve();
  REQUIRE(places.size() == 4);
  CHECK(places[0].from_last == 2);
  CHECK(places[1].from_last == 2);
  CHECK(places[2].from_last == 1);
}
