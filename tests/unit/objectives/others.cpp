// Objectives other than fairness. Expected numbers are worked out by hand above each case.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "contest.hpp"
#include "muster/core/random.hpp"

using namespace muster;
using namespace muster::test;

TEST_CASE("every objective: two equal jobs, a fleet for both, and nobody waits") {
  for (const auto& [name, info] : Objectives::all()) {
    INFO(name);
    const Contest c = contest({4, 2}, {contender({1, 1}, 2), contender({1, 1}, 2)});
    const Allocation a = allocate(name, c);
    CHECK(wrong_with(c, a) == "");
    for (const std::size_t j : {0U, 1U}) CHECK(share(a, j, 0) + share(a, j, 1) == near(1));
  }
}

TEST_CASE("every objective: an allocation that can be had, and the same one twice") {
  for (const auto& [name, info] : Objectives::all())
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Stream r(seed, name);
      std::vector<double> gpus;
      for (std::size_t t = 0, types = 1 + r.below(4); t < types; ++t)
        gpus.push_back(1 + static_cast<double>(r.below(12)));
      std::vector<Contender> jobs;
      for (std::size_t j = 0, n = r.below(30); j < n; ++j) {
        std::vector<double> speed;
        for (std::size_t t = 0; t < gpus.size(); ++t)
          speed.push_back(r.chance(0.1) ? 0 : 0.1 + r.uniform());
        jobs.push_back(contender(speed, static_cast<double>(std::size_t{1} << r.below(4)),
                                 1 + 1e6 * r.uniform()));
        jobs.back().age = 1e5 * r.uniform();
        jobs.back().isolated = jobs.back().age * r.uniform();
        if (r.chance(0.3)) jobs.back().deadline = 1e6 * r.uniform();
      }
      Contest c = contest(gpus, jobs);
      for (double& p : c.price) p = 0.5 + r.uniform();
      INFO(name << ", seed " << seed);
      const Allocation a = allocate(name, c), again = allocate(name, c);
      CHECK(wrong_with(c, a) == "");
      for (std::size_t j = 0; j < jobs.size(); ++j)
        for (std::size_t t = 0; t < gpus.size(); ++t) CHECK(a.part(j, t) == again.part(j, t));
    }
}

// 100 s and 200 s of work on one GPU are done at the same time, 300 s, with a third and two thirds of it.
TEST_CASE("makespan: all end at the same time") {
  const Allocation a =
      allocate("makespan", contest({1}, {contender({1}, 1, 100), contender({1}, 1, 200)}));
  CHECK(share(a, 0, 0) == near(1.0 / 3));
  CHECK(share(a, 1, 0) == near(2.0 / 3));
}

// The second job is 4 times as fast on the first type, the first one 1.25 times.
TEST_CASE("makespan: who gains most by a type has it") {
  const Allocation a =
      allocate("makespan", contest({1, 1}, {contender({5, 4}), contender({4, 1})}));
  CHECK(share(a, 0, 1) == near(1));
  CHECK(share(a, 1, 0) == near(1));
}

TEST_CASE("fifo and sjf: the first in line has the type that suits it best") {
  const Contest c = contest(
      {1, 1}, {contender({4, 1}, 1, 500), contender({4, 1}, 1, 100), contender({4, 1}, 1, 300)});
  const Allocation fifo = allocate("fifo", c), sjf = allocate("sjf", c);
  CHECK(share(fifo, 0, 0) == near(1));
  CHECK(share(fifo, 1, 1) == near(1));
  CHECK(share(sjf, 1, 0) == near(1));
  CHECK(share(sjf, 2, 1) == near(1));
}

// The first job loses a tenth on the slow type, the second three quarters: 3 x 0.9 + 2 > 3 + 2 x 0.25.
TEST_CASE("fifo: who came first makes way where it loses little and the other gains much") {
  const Allocation a =
      allocate("fifo", contest({1, 1}, {contender({10, 9}), contender({4, 1}), contender({0, 0})}));
  CHECK(share(a, 0, 1) == near(1));
  CHECK(share(a, 1, 0) == near(1));
}

TEST_CASE("fifo: narrow jobs do not jump the line") {
  const Allocation a = allocate(
      "fifo", contest({4}, {contender({1}, 4), contender({1}), contender({1}), contender({1})}));
  CHECK(share(a, 0, 0) == near(1));
}

// Both have 100 s to go on the one GPU. The first came 100 s ago and has done what half of the GPU would do
// in 20 s: rho = (100 + 100 / x) / (20 + 200). The second has just come: rho = 100 / (1 - x) / 200. They are
// equal for 200 x^2 + 220 x - 200 = 0.
TEST_CASE("finish_time: both have the same rho") {
  Contest c = contest({1}, {contender({1}), contender({1})});
  c.jobs[0].age = 100;
  c.jobs[0].isolated = 20;
  const Allocation a = allocate("finish_time", c);
  const double x = (-220 + std::sqrt(220.0 * 220 + 4 * 200 * 200)) / 400;
  CHECK(share(a, 0, 0) == near(x, 1e-5));
  CHECK(share(a, 1, 0) == near(1 - x, 1e-5));
}

// A GPU of the fast type costs 3, of the slow one 1, and is twice as fast: 1/3 against 1/2 for the money.
TEST_CASE("cost: the type with most work for the money, unless there is a deadline") {
  Contest c = contest({1, 1}, {contender({2, 1})});
  c.price = {3, 1};
  const Allocation cheap = allocate("cost", c);
  CHECK(share(cheap, 0, 0) == near(0));
  CHECK(share(cheap, 0, 1) == near(1));
  // 100 s of work within 80 s: 1.25 = 2 x + (1 - x).
  c.jobs[0].deadline = 80;
  const Allocation in_time = allocate("cost", c);
  CHECK(share(in_time, 0, 0) == near(0.25, 1e-5));
  CHECK(share(in_time, 0, 1) == near(0.75, 1e-5));
  // Nothing is fast enough.
  c.jobs[0].deadline = 10;
  CHECK(share(allocate("cost", c), 0, 0) == near(1, 1e-5));
}

// a takes 2 s on the fast type and 4 s on the slow one, b 6 and 7: apart 2 + 7, one after the other on the
// fast one 2 + 8. If b takes 9 s on the slow one, it waits.
TEST_CASE("allox: a place in the line of a fast type, or the slow one now") {
  const Allocation apart = allocate(
      "allox", contest({1, 1}, {contender({1, 0.5}, 1, 2), contender({1, 6.0 / 7}, 1, 6)}));
  CHECK(share(apart, 0, 0) == 1);
  CHECK(share(apart, 1, 1) == 1);
  const Allocation line = allocate(
      "allox", contest({1, 1}, {contender({1, 0.5}, 1, 2), contender({1, 6.0 / 9}, 1, 6)}));
  CHECK(share(line, 0, 0) == 1);
  CHECK(share(line, 1, 0) + share(line, 1, 1) == 0);
}

// All orders of all jobs on both machines, tried one by one.
TEST_CASE("allox: who goes first is first in a schedule of least sum of completion times") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Stream r(seed, "allox");
    std::vector<Contender> jobs;
    for (int j = 0; j < 5; ++j)
      jobs.push_back(contender({0.1 + r.uniform(), 0.1 + r.uniform()}, 1, 1 + 9 * r.uniform()));
    const Contest c = contest({1, 1}, jobs);
    const Allocation a = allocate("allox", c);
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), 0);
    double least = 1e300;
    std::array<std::int64_t, 2> first{-1, -1};
    do {
      for (std::size_t cut = 0; cut <= order.size(); ++cut) {
        double sum = 0, end = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
          if (i == cut) end = 0;
          end += jobs[order[i]].left / jobs[order[i]].speed[i < cut ? 0 : 1];
          sum += end;
        }
        if (sum >= least) continue;
        least = sum;
        first = {cut > 0 ? static_cast<std::int64_t>(order[0]) : -1,
                 cut < order.size() ? static_cast<std::int64_t>(order[cut]) : -1};
      }
    } while (std::next_permutation(order.begin(), order.end()));
    INFO("seed " << seed);
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t j = 0; j < jobs.size(); ++j)
        CHECK((a.part(j, t) > 0) == (first[t] == static_cast<std::int64_t>(j)));
  }
}
