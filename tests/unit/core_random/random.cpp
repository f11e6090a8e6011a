#include "muster/core/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "catch.hpp"
#include "muster/core/hash.hpp"

using namespace muster;

namespace {

constexpr int kDraws = 200'000;

/// sup |F_n - F| * sqrt(n): for a right F, above 2.23 in one of 10,000 cases (Kolmogorov).
template <class Draw, class Law>
double kolmogorov(Draw draw, Law law) {
  std::vector<double> x(kDraws);
  for (double& v : x) v = draw();
  std::sort(x.begin(), x.end());
  double worst = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double f = law(x[i]);
    worst =
        std::max({worst, std::fabs(f - double(i) / kDraws), std::fabs(f - double(i + 1) / kDraws)});
  }
  return worst * std::sqrt(double{kDraws});
}
constexpr double kCritical = 2.23;

double normal_law(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

}  // namespace

TEST_CASE("a number is a function of seed, name and position alone") {
  Stream a(7, "arrivals");
  std::vector<std::uint64_t> first;
  for (int i = 0; i < 10; ++i) first.push_back(a.next());
  CHECK(a.position() == 10);

  Stream b(7, "arrivals");
  CHECK(b.at(9) == first[9]);
  CHECK(b.position() == 0);
  b.seek(4);
  Stream copy = b;
  CHECK(b.next() == first[4]);
  CHECK(copy.next() == first[4]);

  CHECK(Stream(8, "arrivals").at(0) != first[0]);
  CHECK(Stream(7, "arrival").at(0) != first[0]);
}

TEST_CASE("streams whose seeds or names are neighbours share no number and no bit pattern") {
  std::set<std::uint64_t> seen;
  int bits = 0, pairs = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const char* name : {"", "a", "b", "aa"}) {
      const Stream s(seed, name), other(seed + 1, name);
      for (std::uint64_t n = 0; n < 20; ++n) {
        seen.insert(s.at(n));
        bits += std::popcount(s.at(n) ^ other.at(n));
        ++pairs;
      }
    }
  CHECK(seen.size() == 100 * 4 * 20);
  CHECK(std::fabs(double(bits) / pairs - 32) < 0.2);  // sd 4/sqrt(8000) = 0.045
}

TEST_CASE("uniform numbers are uniform, below 1, and one after another independent") {
  Stream s(1, "uniform");
  CHECK(kolmogorov([&] { return s.uniform(); }, [](double x) { return x; }) < kCritical);
  double previous = s.uniform(), product = 0, most = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = s.uniform();
    product += (u - 0.5) * (previous - 0.5);
    most = std::max(most, u);
    previous = u;
  }
  CHECK(most < 1);
  CHECK(std::fabs(product / kDraws * 12) < 4 / std::sqrt(double{kDraws}));  // correlation, 4 sigma
}

TEST_CASE("below(n) gives each number equally often") {
  Stream s(1, "below");
  std::array<int, 7> count{};
  for (int i = 0; i < 70'000; ++i) ++count[s.below(7)];
  double chi = 0;
  for (const int c : count) chi += (c - 10'000.0) * (c - 10'000.0) / 10'000;
  CHECK(chi < 27.9);  // 6 degrees of freedom, 1 in 10,000
  CHECK(s.below(1) == 0);

  // A range of 2/3 of 2^64: multiplying without rejection would hit each third result twice as often.
  const std::uint64_t n = 0xaaaaaaaaaaaaaaaaULL;
  int residue[3] = {};
  for (int i = 0; i < 30'000; ++i) ++residue[s.below(n) % 3];
  for (const int r : residue) CHECK(std::abs(r - 10'000) < 400);
}

TEST_CASE("the laws are what they are called") {
  Stream s(1, "laws");
  CHECK(kolmogorov([&] { return s.exponential(3); },
                   [](double x) { return 1 - std::exp(-x / 3); }) < kCritical);
  CHECK(kolmogorov([&] { return s.normal(); }, normal_law) < kCritical);
  CHECK(kolmogorov([&] { return s.lognormal(2, 0.5); },
                   [](double x) { return normal_law((std::log(x) - 2) / 0.5); }) < kCritical);
  CHECK(kolmogorov([&] { return s.pareto(1.5, 10); },
                   [](double x) { return 1 - std::pow(10 / x, 1.5); }) < kCritical);
  const double cut = 1 - std::pow(10 / 500.0, 1.1);
  CHECK(kolmogorov([&] { return s.bounded_pareto(1.1, 10, 500); },
                   [&](double x) { return (1 - std::pow(10 / x, 1.1)) / cut; }) < kCritical);
}

TEST_CASE(
    "a bounded Pareto number stays in its bounds, and a tail index near zero is log-uniform") {
  Stream s(1, "bounds");
  for (int i = 0; i < kDraws; ++i) {
    const double x = s.bounded_pareto(0.8, 2, 3);
    CHECK_FALSE((x < 2 || x > 3));
  }
  CHECK(kolmogorov([&] { return s.bounded_pareto(1e-6, 1, 100); },
                   [](double x) { return std::log(x) / std::log(100.0); }) < kCritical);
}

TEST_CASE("each law draws one number, whatever its parameters") {
  Stream s(1, "one");
  s.exponential(1), s.normal(), s.lognormal(0, 1), s.pareto(1, 1), s.bounded_pareto(1, 1, 2),
      s.chance(0);
  CHECK(s.position() == 6);
}

TEST_CASE("a weighted choice gives every index exactly its share of the tickets") {
  const std::uint64_t weights[] = {3, 0, 5, 2, 0};
  const WeightedChoice choice{weights};
  CHECK(choice.total() == 10);
  int hits[5] = {};
  for (std::uint64_t ticket = 0; ticket < 10; ++ticket) ++hits[choice.pick(ticket)];
  for (int i = 0; i < 5; ++i) CHECK(hits[i] == static_cast<int>(weights[i]));

  Stream s(1, "choice");
  int drawn[5] = {};
  for (int i = 0; i < 100'000; ++i) ++drawn[choice(s)];
  CHECK(std::abs(drawn[0] - 30'000) < 600);
  CHECK(drawn[1] + drawn[4] == 0);
}

TEST_CASE("the numbers never change from one version to the next") {
  CHECK(Stream(1, "arrivals").at(0) == 0x61f14404ddb3f64c);
  Stream s(42, "pinned");
  RunHash hash;
  for (int i = 0; i < 1000; ++i) {
    hash.add(s.next());
    for (const double x : {s.uniform(), s.exponential(1), s.normal(), s.lognormal(1, 2),
                           s.pareto(2, 1), s.bounded_pareto(1, 1, 9)})
      hash.add(std::bit_cast<std::uint64_t>(x));
    hash.add(s.below(1000));
  }
  CHECK(hash.value() == 0x1bced01cbd936aab);
}
