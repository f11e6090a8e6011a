#include "muster/core/detmath.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "muster/core/hash.hpp"
#include "muster/core/random.hpp"

namespace dm = muster::detmath;
using muster::Stream;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");
constexpr double kBound = 1e-14;  // what the header promises

/// Relative error against libm in long double (64 bits of mantissa). Among subnormals, which have
/// fewer bits, one unit in the last place is allowed besides.
double error(double ours, long double libm) {
  const double rounded = static_cast<double>(libm);
  if (ours == rounded || (std::isnan(ours) && std::isnan(rounded))) return 0;
  if (!std::isfinite(ours) || !std::isfinite(rounded)) return kInf;
  if (std::fabs(rounded) < std::numeric_limits<double>::min())
    return std::max(0.0, std::fabs(ours - rounded) - 0x1p-1074) / std::fabs(rounded);
  return static_cast<double>(std::fabs((static_cast<long double>(ours) - libm) / libm));
}

/// Any finite double, all exponents alike; positive.
double any_positive(Stream& random) {
  for (;;) {
    const double x = std::bit_cast<double>(random.next() >> 1);
    if (std::isfinite(x) && x > 0) return x;
  }
}
double between(Stream& random, double low, double high) {
  return low + (high - low) * random.uniform();
}
/// 1 + something between 2^-40 and 1/2, either sign: where logarithms cancel.
double near_one(Stream& random) {
  return 1 + (random.uniform() - 0.5) * std::exp2(-40 * random.uniform());
}
bool negative_zero(double x) { return x == 0 && std::signbit(x); }

}  // namespace

TEST_CASE("exp and exp2 are within 1e-14 of libm, from underflow to overflow") {
  Stream random(1, "exp");
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    for (const double x : {between(random, -750, 715), between(random, -1e-3, 1e-3)})
      worst = std::max(worst, error(dm::exp(x), std::exp(static_cast<long double>(x))));
    const double x = between(random, -1080, 1030);
    worst = std::max(worst, error(dm::exp2(x), std::exp2(static_cast<long double>(x))));
  }
  CHECK(worst <= kBound);
}

TEST_CASE("log and log2 are within 1e-14 of libm, also next to 1 and among subnormals") {
  Stream random(1, "log");
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    for (const double x : {any_positive(random), near_one(random)}) {
      worst = std::max(worst, error(dm::log(x), std::log(static_cast<long double>(x))));
      worst = std::max(worst, error(dm::log2(x), std::log2(static_cast<long double>(x))));
    }
  }
  CHECK(worst <= kBound);
}

TEST_CASE("pow is within 1e-14 of libm, also where y magnifies the error of log2 a thousandfold") {
  Stream random(1, "pow");
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    for (const double x : {any_positive(random), near_one(random)}) {
      const double y = between(random, -1060, 1010) / std::log2(x);
      if (!std::isfinite(y)) continue;
      worst = std::max(worst, error(dm::pow(x, y), std::pow(static_cast<long double>(x),
                                                            static_cast<long double>(y))));
    }
  }
  CHECK(worst <= kBound);
}

TEST_CASE("sin is within 1e-14 of libm for every finite argument, also next to multiples of pi") {
  Stream random(1, "sin");
  double worst = 0;
  const auto check = [&](double x) {
    worst = std::max(worst, error(dm::sin(x), std::sin(static_cast<long double>(x))));
  };
  for (int i = 0; i < 100'000; ++i) {
    check(any_positive(random));
    check(between(random, -50, 50));
    check(static_cast<double>(random.below(1'000'000)) * 1.5707963267948966);
  }
  check(6381956970095103.0 * 0x1p797);  // the double nearest to a multiple of pi/2 (Muller, 1997)
  check(0.7853981633974483);
  check(0.7853981633974484);
  CHECK(worst <= kBound);
}

TEST_CASE("powers of two and small whole powers are exact") {
  for (int k = -1074; k <= 1023; ++k) {
    CHECK(dm::exp2(k) == std::ldexp(1.0, k));
    CHECK(dm::log2(std::ldexp(1.0, k)) == k);
  }
  CHECK(dm::pow(3, 4) == 81);
  CHECK(dm::pow(10, 15) == 1e15);
  CHECK(dm::pow(2, -1074) == 0x1p-1074);
  CHECK(dm::exp(0) == 1);
  CHECK(dm::log(1) == 0);
}

TEST_CASE("zeros, infinities, NaN and negative arguments follow ISO C Annex F") {
  CHECK(dm::exp(-kInf) == 0);
  CHECK(dm::exp(kInf) == kInf);
  CHECK(dm::exp(-746) == 0);
  CHECK(dm::exp(710) == kInf);
  CHECK(std::isnan(dm::exp(kNan)));
  CHECK(dm::exp2(-kInf) == 0);
  CHECK(dm::exp2(kInf) == kInf);
  CHECK(std::isnan(dm::exp2(kNan)));
  for (const auto log : {dm::log, dm::log2}) {
    CHECK(log(0.0) == -kInf);
    CHECK(log(-0.0) == -kInf);
    CHECK(log(kInf) == kInf);
    CHECK(std::isnan(log(-1)));
    CHECK(std::isnan(log(-kInf)));
    CHECK(std::isnan(log(kNan)));
  }
  for (const auto& [x, y] : {std::pair{kNan, 0.0}, {1.0, kNan}, {-1.0, kInf}, {-1.0, -kInf}})
    CHECK(dm::pow(x, y) == 1);
  CHECK(dm::pow(0.0, -3) == kInf);
  CHECK(dm::pow(-0.0, -3) == -kInf);
  CHECK(dm::pow(-0.0, -2) == kInf);
  CHECK(negative_zero(dm::pow(-0.0, 3)));
  CHECK(dm::pow(0.5, kInf) == 0);
  CHECK(dm::pow(0.5, -kInf) == kInf);
  CHECK(dm::pow(2, kInf) == kInf);
  CHECK(dm::pow(2, -kInf) == 0);
  CHECK(negative_zero(dm::pow(-kInf, -3)));
  CHECK(dm::pow(-kInf, 3) == -kInf);
  CHECK(dm::pow(-kInf, 2) == kInf);
  CHECK(dm::pow(kInf, -1) == 0);
  CHECK(dm::pow(-2, 3) == -8);
  CHECK(dm::pow(-2, 4) == 16);
  CHECK(std::isnan(dm::pow(-2, 0.5)));
  CHECK(dm::pow(-1, 1e300) == 1);
  CHECK(dm::pow(1.0000000000000002, 1e300) == kInf);
  CHECK(dm::pow(0.9999999999999999, 1e300) == 0);
  CHECK(negative_zero(dm::sin(-0.0)));
  CHECK(std::isnan(dm::sin(kInf)));
  CHECK(std::isnan(dm::sin(kNan)));
}

TEST_CASE("the normal quantile inverts the normal distribution") {
  for (double p = 0.001; p < 0.9995; p += 0.001) {
    const double z = dm::normal_quantile(p);
    CHECK(std::fabs(0.5 * std::erfc(-z / std::sqrt(2.0)) / p - 1) < 1e-13);
  }
  for (const double p : {1e-4, 1e-10, 1e-100, 1e-300}) {
    const double z = dm::normal_quantile(p);
    CHECK(std::fabs(0.5 * std::erfc(-z / std::sqrt(2.0)) / p - 1) < 1e-11);
  }
  CHECK(dm::normal_quantile(0.5) == 0);
  CHECK(dm::normal_quantile(0.25) == -dm::normal_quantile(0.75));
  CHECK(dm::normal_quantile(0) == -kInf);
  CHECK(dm::normal_quantile(1) == kInf);
  CHECK(std::isnan(dm::normal_quantile(1.5)));
}

TEST_CASE("the bits are the same under every compiler and on every machine") {
  Stream random(1, "bits");
  muster::RunHash hash;
  const auto add = [&](double x) { hash.add(std::bit_cast<std::uint64_t>(x)); };
  for (int i = 0; i < 10'000; ++i) {
    const double x = any_positive(random);
    add(dm::exp(between(random, -700, 700)));
    add(dm::exp2(between(random, -1000, 1000)));
    add(dm::log(x));
    add(dm::log2(x));
    add(dm::pow(between(random, 0, 10), between(random, -50, 50)));
    add(dm::sin(x));
    add(dm::normal_quantile(random.uniform()));
  }
  CHECK(hash.value() == 0xccb0d8b5296a4967);
}
