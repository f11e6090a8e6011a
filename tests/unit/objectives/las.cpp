// Max-min fairness. Expected numbers are worked out by hand above each case.

#include <algorithm>

#include "contest.hpp"
#include "muster/core/random.hpp"
#include "policy/rounds/shares.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// What las makes the least of as large as it can.
double utility(const Contest& c, const Allocation& a, std::size_t j) {
  const Contender& job = c.jobs[j];
  const double equal = equal_throughput(c, job);
  return equal > 0 ? throughput(c, a, j) * job.gpus / (equal * job.weight) : 0;
}

/// Jobs of a few kinds, some of which do not run everywhere, and fewer GPUs than they ask for.
Contest drawn(std::uint64_t seed) {
  Stream r(seed, "contest");
  const std::size_t types = 1 + r.below(4);
  std::vector<double> gpus;
  for (std::size_t t = 0; t < types; ++t) gpus.push_back(1 + static_cast<double>(r.below(8)));
  std::vector<Contender> jobs;
  for (std::size_t j = 0, n = 1 + r.below(12); j < n; ++j) {
    if (j > 0 && r.chance(0.3)) {
      jobs.push_back(jobs[r.below(j)]);
      continue;
    }
    std::vector<double> speed;
    for (std::size_t t = 0; t < types; ++t)
      speed.push_back(r.chance(0.15) ? 0 : 0.25 * (1 + static_cast<double>(r.below(16))));
    jobs.push_back(contender(speed, static_cast<double>(std::size_t{1} << r.below(3)),
                             1 + static_cast<double>(r.below(1000))));
    if (r.chance(0.2)) jobs.back().weight = 2;
  }
  return contest(gpus, jobs);
}

}  // namespace

// Steps per second on a V100 and a K80: 40 10, 12 4, 100 50, one GPU of each. By comparative advantage the
// first job is on the V100 only, the third on the K80 and for a part c of the time on the V100, the second
// on both. With L times what a third of both GPUs would do: c = L - 1 (it is never idle), the second has the
// K80 for c, too, and (16 L - 12 c) / 36 of the V100, the first has 5 L / 12. These add up to the V100's
// time for L = 12/11, as in section 4.1 of the paper.
TEST_CASE("las: three jobs on two GPUs, as in Gavel's paper") {
  const Contest c =
      contest({1, 1}, {contender({40, 10}), contender({12, 4}), contender({100, 50})});
  const Allocation a = allocate("las", c);
  CHECK(wrong_with(c, a) == "");
  CHECK(share(a, 0, 0) == near(5.0 / 11));
  CHECK(share(a, 0, 1) == near(0));
  CHECK(share(a, 1, 0) == near(5.0 / 11));
  CHECK(share(a, 1, 1) == near(1.0 / 11));
  CHECK(share(a, 2, 0) == near(1.0 / 11));
  CHECK(share(a, 2, 1) == near(10.0 / 11));
}

TEST_CASE("las: of two jobs on two GPUs each has half of each, whatever their speeds") {
  const Allocation a = allocate("las", contest({1, 1}, {contender({4, 1}), contender({3, 1})}));
  for (const std::size_t j : {0U, 1U})
    for (const std::size_t t : {0U, 1U}) CHECK(share(a, j, t) == near(0.5));
}

// One that asks for 4 of 4 GPUs has as many GPU-seconds as each of four that ask for one: 4 x = y, x + y = 1.
TEST_CASE("las: wide jobs have the GPU time of narrow ones, not their time") {
  const Contest c = contest(
      {4}, {contender({1}, 4), contender({1}), contender({1}), contender({1}), contender({1})});
  const Allocation a = allocate("las", c);
  CHECK(share(a, 0, 0) == near(0.2));
  for (std::size_t j = 1; j < 5; ++j) CHECK(share(a, j, 0) == near(0.8));
}

TEST_CASE("las: twice the weight, twice the share") {
  Contest c = contest({1}, {contender({1}), contender({5})});
  c.jobs[0].weight = 2;
  const Allocation a = allocate("las", c);
  CHECK(share(a, 0, 0) == near(2.0 / 3));
  CHECK(share(a, 1, 0) == near(1.0 / 3));
}

// Three share the GPU of the type they need; the fourth loses nothing by that.
TEST_CASE("las: who is kept down by a bottleneck keeps nobody else down") {
  const Contest c =
      contest({1, 1}, {contender({1, 0}), contender({1, 0}), contender({1, 0}), contender({0, 1})});
  const Allocation a = allocate("las", c);
  for (std::size_t j = 0; j < 3; ++j) CHECK(share(a, j, 0) == near(1.0 / 3));
  CHECK(share(a, 3, 1) == near(1));
}

TEST_CASE("las: who runs nowhere gets nothing, and nobody is no problem") {
  const Contest c = contest({2}, {contender({1}, 4), contender({0})});
  const Allocation a = allocate("las", c);
  CHECK(a.part(0, 0) == 0);
  CHECK(a.part(1, 0) == 0);
  CHECK(allocate("las", contest({2}, {})).jobs() == 0);
}

TEST_CASE("las: nobody could have more without somebody having less who has no more") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Contest c = drawn(seed);
    const Allocation a = allocate("las", c);
    INFO("seed " << seed);
    CHECK(wrong_with(c, a) == "");
    for (std::size_t rich = 0; rich < c.jobs.size(); ++rich) {
      if (equal_throughput(c, c.jobs[rich]) == 0) continue;
      rounds::ShareProgram shares(c);
      rounds::LinearProgram& p = shares.program();
      const auto terms_of = [&](std::size_t j) {
        auto terms = shares.terms(j, c.jobs[j].speed);
        for (auto& term : terms)
          term.second *= c.jobs[j].gpus / (equal_throughput(c, c.jobs[j]) * c.jobs[j].weight);
        return terms;
      };
      for (const auto& [column, value] : terms_of(rich)) p.set_cost(column, value);
      for (std::size_t j = 0; j < c.jobs.size(); ++j)
        if (j != rich && utility(c, a, j) > 0 && utility(c, a, j) <= utility(c, a, rich) + 1e-4)
          p.row(utility(c, a, j), rounds::kInfinite, terms_of(j));
      CHECK(p.maximise().best <= utility(c, a, rich) + 1e-3);
    }
  }
}

TEST_CASE("las: other units of speed change nothing, another order of jobs only that order") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Contest c = drawn(seed);
    const Allocation a = allocate("las", c);
    Contest faster = c, turned = c;
    for (double& s : faster.jobs[0].speed) s *= 1024;
    std::reverse(turned.jobs.begin(), turned.jobs.end());
    const Allocation b = allocate("las", faster), d = allocate("las", turned);
    INFO("seed " << seed);
    for (std::size_t j = 0; j < c.jobs.size(); ++j) {
      for (std::size_t t = 0; t < c.types(); ++t) CHECK(a.part(j, t) == b.part(j, t));
      CHECK(utility(c, a, j) == near(utility(turned, d, c.jobs.size() - 1 - j)));
    }
  }
}
