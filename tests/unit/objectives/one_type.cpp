// Shares on one type of GPU, in closed form, against the linear programs that they stand for.

#include "policy/rounds/one_type.hpp"

#include <cmath>

#include "contest.hpp"
#include "muster/core/random.hpp"
#include "policy/sizes/best_choices.hpp"

using namespace muster;
using namespace muster::test;

namespace {

Contest random_contest(Stream& r, std::size_t types) {
  std::vector<Contender> jobs;
  for (std::size_t j = 0, n = 1 + r.below(25); j < n; ++j) {
    std::vector<double> speed(types);
    speed[r.below(types)] = 0.1 + r.uniform();
    jobs.push_back(contender(speed, static_cast<double>(1 + r.below(6)), 1 + 1e4 * r.uniform()));
  }
  std::vector<double> gpus;
  for (std::size_t t = 0; t < types; ++t) gpus.push_back(4 + static_cast<double>(r.below(30)));
  return contest(gpus, jobs);
}

rounds::Coefficients random_coefficients(const Contest& c, Stream& r) {
  rounds::Coefficients all;
  for (const Contender& job : c.jobs) {
    all.push_back(job.speed);
    for (double& v : all.back()) v *= 0.1 + r.uniform();
  }
  return all;
}

double best_sum_by_program(const Contest& c, const rounds::Coefficients& coefficients) {
  rounds::ShareProgram shares(c);
  for (std::size_t k = 0; k < shares.classes(); ++k)
    for (std::size_t t = 0; t < c.types(); ++t)
      if (const auto column = shares.column(k, t); column >= 0)
        shares.program().set_cost(column, coefficients[shares.first_of(k)][t]);
  const auto s = shares.program().maximise();
  REQUIRE(s.found);
  return s.best;
}

double value(const rounds::Coefficients& coefficients, const Allocation& a, std::size_t j) {
  double sum = 0;
  for (std::size_t t = 0; t < a.types(); ++t) sum += coefficients[j][t] * share(a, j, t);
  return sum;
}

/// The largest least value, by a program.
double best_level_by_program(const Contest& c, const rounds::Coefficients& coefficients) {
  rounds::ShareProgram shares(c);
  const auto level = shares.program().column(1);
  for (std::size_t k = 0; k < shares.classes(); ++k) {
    auto terms = shares.terms(k, coefficients[shares.first_of(k)]);
    if (terms.empty()) continue;
    terms.push_back({level, -1});
    shares.program().row(0, rounds::kInfinite, std::move(terms));
  }
  const auto s = shares.program().maximise();
  REQUIRE(s.found);
  return s.best;
}

}  // namespace

TEST_CASE("one type: the largest sum is that of the linear program") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Stream r(seed, "sum");
    const Contest c = random_contest(r, 1 + seed % 3);
    const auto coefficients = random_coefficients(c, r);
    const Allocation a = rounds::best_first(c, coefficients);
    INFO("seed " << seed);
    CHECK(wrong_with(c, a) == "");
    double sum = 0;
    for (std::size_t j = 0; j < c.jobs.size(); ++j) sum += value(coefficients, a, j);
    CHECK(sum == near(best_sum_by_program(c, coefficients), 1e-4));
  }
}

TEST_CASE(
    "one type: the least is that of the linear program, and nobody above it could be lowered") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Stream r(seed, "level");
    const Contest c = random_contest(r, 1 + seed % 3);
    const auto coefficients = random_coefficients(c, r);
    const Allocation a = rounds::level_out(c, coefficients);
    INFO("seed " << seed);
    CHECK(wrong_with(c, a) == "");
    double least = rounds::kInfinite;
    std::vector<double> held(c.types());
    for (std::size_t j = 0; j < c.jobs.size(); ++j) {
      const std::size_t t = rounds::type_of(c, c.jobs[j]);
      if (t == rounds::kNowhere) continue;
      least = std::min(least, value(coefficients, a, j));
      held[t] += share(a, j, t) * c.jobs[j].gpus;
    }
    if (least < rounds::kInfinite)
      CHECK(least == near(best_level_by_program(c, coefficients), 1e-5));
    // Who has not all of the time is at the level of its type, and then the type is full.
    for (std::size_t t = 0; t < c.types(); ++t) {
      double level = -1;
      for (std::size_t j = 0; j < c.jobs.size(); ++j) {
        if (rounds::type_of(c, c.jobs[j]) != t || share(a, j, t) > 1 - 1e-6) continue;
        const double mine = value(coefficients, a, j);
        CHECK(held[t] == near(c.gpus[t], 1e-3));
        if (level >= 0) CHECK(mine == near(level, 1e-5));
        level = mine;
      }
      for (std::size_t j = 0; j < c.jobs.size() && level >= 0; ++j)
        if (rounds::type_of(c, c.jobs[j]) == t) CHECK(value(coefficients, a, j) <= level + 1e-5);
    }
  }
}

// An objective that says so is shown a queue only as far as it fills the fleet.
TEST_CASE("one type: behind those who came first and fill the fleet nobody has anything") {
  for (const auto& [name, entry] : Objectives::all()) {
    if (!entry.make()->first_come()) continue;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Stream r(seed, "first_come");
      const Contest whole = random_contest(r, 1);
      Contest front = whole;
      double left = whole.gpus[0];
      std::size_t n = 0;
      for (; n < whole.jobs.size() && left > 0; ++n)
        if (whole.runs_on(whole.jobs[n], 0)) left -= whole.jobs[n].gpus;
      front.jobs.resize(n);
      const Allocation a = allocate(name, whole), b = allocate(name, front);
      INFO(name << ", seed " << seed);
      for (std::size_t j = 0; j < whole.jobs.size(); ++j)
        CHECK(a.part(j, 0) == (j < n ? b.part(j, 0) : 0));
    }
  }
}

TEST_CASE("who runs on two types has a choice, who runs on none has not") {
  CHECK(rounds::each_on_one_type(contest({4, 4}, {contender({1, 0}), contender({0, 1})})));
  CHECK(rounds::each_on_one_type(contest({4, 4}, {contender({1, 1}, 8)})));
  CHECK(!rounds::each_on_one_type(contest({4, 4}, {contender({1, 0}), contender({1, 1})})));
  CHECK(rounds::each_on_one_type(contest({4}, {contender({1}), contender({1})})));
}

// 4 GPUs, and a deadline that needs 3 of its 4 for all of the time: who came first has what is left.
TEST_CASE("cost on one type: deadlines first, then who came first") {
  Contest c = contest({4}, {contender({1}, 2, 100), contender({1}, 4, 75), contender({1}, 2, 100)});
  c.jobs[1].deadline = 100;
  const Allocation a = allocate("cost", c);
  CHECK(share(a, 0, 0) == near(0.5));
  CHECK(share(a, 1, 0) == near(0.75));
  CHECK(share(a, 2, 0) == near(0));
  c.jobs[1].deadline = 50;  // more than there is
  CHECK(share(allocate("cost", c), 1, 0) == near(1));
}

// Times per GPU are 300, 200 and 100 s: the last one goes first, the second, for which too little is left, lets
// the first one pass.
TEST_CASE(
    "allox on one type: the least time per GPU in front, and who does not fit lets others pass") {
  const Allocation a = allocate(
      "allox",
      contest({2}, {contender({1}, 1, 300), contender({1}, 2, 400), contender({1}, 1, 100)}));
  CHECK(share(a, 0, 0) == near(1));
  CHECK(share(a, 1, 0) == near(0));
  CHECK(share(a, 2, 0) == near(1));
}

TEST_CASE("best choices: those of the linear program, and at most one claim is left open") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Stream r(seed, "choices");
    std::vector<std::vector<Choice>> claims(1 + r.below(12));
    rounds::LinearProgram p;
    rounds::LinearProgram::Terms room;
    for (auto& choices : claims) {
      rounds::LinearProgram::Terms one;
      for (std::size_t k = r.below(5); k > 0; --k) {
        choices.push_back({static_cast<double>(1 + r.below(9)), r.uniform() * 2 - 0.3});
        const auto c = p.column(choices.back().gain);
        one.push_back({c, 1});
        room.push_back({c, choices.back().gpus});
      }
      if (!one.empty()) p.row(-rounds::kInfinite, 1, std::move(one));
    }
    const auto gpus = static_cast<double>(r.below(40));
    p.row(-rounds::kInfinite, gpus, std::move(room));
    INFO("seed " << seed);
    const auto given = best_choices(claims, gpus);
    const auto s = p.maximise();
    REQUIRE(s.found);
    // Whoever has a whole choice by the program has the same one (gains are drawn: none are equal).
    std::size_t column = 0, open = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      std::size_t whole = kNoChoice;
      bool any = false;
      for (std::size_t k = 0; k < claims[i].size(); ++k, ++column) {
        any |= s.x[column] > 1e-9;
        if (s.x[column] > 1 - 1e-9) whole = k;
      }
      open += any && whole == kNoChoice;
      CHECK(given[i] == whole);
    }
    CHECK(open <= 1);
  }
}
