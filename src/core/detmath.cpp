#include "muster/core/detmath.hpp"

#include <algorithm>
#include <bit>
#include <cmath>  // sqrt only, which IEEE 754 rounds correctly everywhere
#include <cstdint>
#include <limits>

namespace muster::detmath {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Constants in two parts: the first is short enough that a whole number times it is exact (ln 2),
// or is the nearest double and the second what it leaves out (1/ln 2).
constexpr double kLn2Hi = 0x1.62e42fefa2000p-1, kLn2Lo = 0x1.9ef35793c7673p-41;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kInvLn2 = 0x1.71547652b82fep+0, kInvLn2Lo = 0x1.777d0ffda0d24p-56;
constexpr double kHalfPi = 0x1.921fb54442d18p+0;

constexpr bool is_nan(double x) { return x != x; }

/// The whole number nearest to x, for |x| < 2^51: adding 1.5 * 2^52 pushes the fraction out.
double nearest_whole(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/// 2^k for -1022 <= k <= 1023.
double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

/// x * 2^k for any k that can matter, through steps that stay in range; one rounding, if any.
double scale(double x, int k) {
  if (k > 1023) return x * power_of_two(1023) * power_of_two(k - 1023);
  if (k < -1022) return x * power_of_two(k + 969) * power_of_two(-969);
  return x * power_of_two(k);
}

/// e^r for |r| <= ln(2)/2: Taylor to r^13, the rest is below 1e-17.
double exp_near_zero(double r) {
  double sum = 1.0 / 6227020800.0;
  for (const double c :
       {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
        1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0})
    sum = sum * r + c;
  return sum;
}

/// x = mantissa * 2^exponent with sqrt(1/2) <= mantissa < sqrt(2). x positive and finite.
struct Parts {
  double mantissa;
  int exponent;
};
Parts split(double x) {
  int exponent = 0;
  if (x < 0x1p-1022) {  // subnormal
    x *= 0x1p54;
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (mantissa >= 0x1.6a09e667f3bcdp+0) {
    mantissa *= 0.5;
    ++exponent;
  }
  return {mantissa, exponent};
}

/// (atanh(s) - s) / s^3 as a function of z = s^2 <= 0.0295: 1/3 + z/5 + z^2/7 + ...
double atanh_tail(double z) {
  double sum = 1.0 / 25.0;
  for (const double c : {1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                         1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0})
    sum = sum * z + c;
  return sum;
}

/// ln(m) for m near 1: 2 atanh((m-1)/(m+1)).
double log_near_one(double m) {
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  return 2 * s + 2 * s * z * atanh_tail(z);
}

/// The cases that log and log2 share; true if `result` was set.
bool log_special(double x, double& result) {
  if (is_nan(x) || x < 0) {
    result = kNan;
  } else if (x == 0) {
    result = -kInf;
  } else if (x == kInf) {
    result = kInf;
  } else {
    return false;
  }
  return true;
}

// ---- pow needs log2(x) to 65 bits, since y multiplies its error by up to 1024: two doubles ----

struct Pair {
  double hi, lo;
};
Pair exact_sum(double a, double b) {  // Knuth
  const double s = a + b, bb = s - a;
  return {s, (a - (s - bb)) + (b - bb)};
}
Pair exact_product(double a, double b) {  // Dekker, with Veltkamp's split: no fused multiply-add
  const double p = a * b;
  const double ca = 134217729.0 * a, cb = 134217729.0 * b;
  const double ah = ca - (ca - a), al = a - ah;
  const double bh = cb - (cb - b), bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}
Pair times(Pair a, double b) {
  Pair p = exact_product(a.hi, b);
  p.lo += a.lo * b;
  return exact_sum(p.hi, p.lo);
}
Pair plus(Pair a, double b) {
  Pair s = exact_sum(a.hi, b);
  s.lo += a.lo;
  return exact_sum(s.hi, s.lo);
}

Pair log2_pair(double x) {
  const auto [m, k] = split(x);
  const double f = m - 1;          // exact
  const Pair g = exact_sum(m, 1);  // f / g in two doubles:
  const double s = f / g.hi;
  const Pair back = exact_product(s, g.hi);
  const double rest = (((f - back.hi) - back.lo) - s * g.lo) / g.hi;
  const double z = s * s;
  Pair ln = exact_sum(2 * s, 2 * (rest + s * z * atanh_tail(z)));
  // times 1/ln 2, also in two doubles
  Pair product = exact_product(ln.hi, kInvLn2);
  product.lo += ln.hi * kInvLn2Lo + ln.lo * kInvLn2;
  return plus(exact_sum(product.hi, product.lo), k);
}

bool is_whole(double y) {
  const double a = y < 0 ? -y : y;
  if (a >= 0x1p53) return true;
  return static_cast<double>(static_cast<std::int64_t>(a)) == a;
}
bool is_odd(double y) {
  const double a = y < 0 ? -y : y;
  return a < 0x1p53 && is_whole(a) && (static_cast<std::int64_t>(a) & 1) != 0;
}

// ---- sin: x * 2/pi modulo 4 in 192-bit integers (Payne & Hanek, 1983) ----

/// The first 1280 bits of 2/pi after the point.
constexpr std::uint64_t kTwoOverPi[20] = {
    0xa2f9836e4e441529ULL, 0xfc2757d1f534ddc0ULL, 0xdb6295993c439041ULL, 0xfe5163abdebbc561ULL,
    0xb7246e3a424dd2e0ULL, 0x06492eea09d1921cULL, 0xfe1deb1cb129a73eULL, 0xe88235f52ebb4484ULL,
    0xe99c7026b45f7e41ULL, 0x3991d639835339f4ULL, 0x9c845f8bbdf9283bULL, 0x1ff897ffde05980fULL,
    0xef2f118b5a0a6d1fULL, 0x6d367ecf27cb09b7ULL, 0x4f463f669e5fea2dULL, 0x7527bac7ebe5f17bULL,
    0x3d0739f78a5292eaULL, 0x6bfb5fb11f8d5d08ULL, 0x56033046fc7b6babULL, 0xf0cfbc209af4361dULL};

/// 64 bits of 2/pi from bit `at` on (0 = the first after the point; before it there are zeros).
std::uint64_t two_over_pi(int at) {
  std::uint64_t out = 0;
  for (int i = 0; i < 64; ++i) {
    const int bit = at + i;
    const std::uint64_t b = bit < 0 ? 0 : (kTwoOverPi[bit / 64] >> (63 - bit % 64)) & 1;
    out = out << 1 | b;
  }
  return out;
}

/// x = (quadrant + fraction) * pi/2 + a multiple of 2 pi, |fraction| <= 1/2.
struct Angle {
  int quadrant;
  double fraction;
};
Angle reduce(double x) {  // x > 0, finite, normal
  __extension__ using Wide = unsigned __int128;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  const std::uint64_t m = (bits & 0x000fffffffffffffULL) | 0x0010000000000000ULL;
  // Bits of 2/pi before `at` would only add multiples of 4; those after `at` + 192 are below 2^-137.
  const int at = exponent - 2;
  std::uint64_t word[3];
  Wide carry = 0;
  for (int i = 2; i >= 0; --i) {
    carry += Wide{m} * two_over_pi(at + 64 * i);
    word[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  // The top two bits are the quadrant, the others the fraction; round to the nearest quadrant.
  int quadrant = static_cast<int>(word[0] >> 62);
  word[0] <<= 2;
  word[0] |= word[1] >> 62;
  word[1] = word[1] << 2 | word[2] >> 62;
  word[2] <<= 2;
  const bool above = (word[0] >> 63) != 0;
  if (above) {  // fraction - 1: two's complement, as a magnitude
    quadrant = (quadrant + 1) & 3;
    word[2] = 0 - word[2];
    word[1] = ~word[1] + (word[2] == 0 ? 1 : 0);
    word[0] = ~word[0] + (word[2] == 0 && word[1] == 0 ? 1 : 0);
  }
  double f = static_cast<double>(word[0]) * 0x1p-64;
  if (word[0] >> 10 == 0) {  // leading zeros: the second word still counts
    const Wide both = Wide{word[0]} << 64 | word[1];
    const int shift = word[0] == 0 ? 64 : std::countl_zero(word[0]);
    const auto top = static_cast<std::uint64_t>((both << shift) >> 64);
    f = static_cast<double>(top) * power_of_two(-64 - shift);
  } else {
    f += static_cast<double>(word[1]) * 0x1p-128;
  }
  return {quadrant, above ? -f : f};
}

/// sin(r) and cos(r) for |r| <= pi/4: Taylor, the rest is below 1e-17.
double sin_near_zero(double r) {
  const double z = r * r;
  double sum = 1.0 / 355687428096000.0;
  for (const double c : {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                         1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0})
    sum = sum * z + c;
  return r + r * z * sum;
}
double cos_near_zero(double r) {
  const double z = r * r;
  double sum = 1.0 / 20922789888000.0;
  for (const double c : {-1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0,
                         -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0})
    sum = sum * z + c;
  return sum;
}

}  // namespace

double exp(double x) {
  if (is_nan(x)) return x;
  if (x > 709.8) return kInf;
  if (x < -745.2) return 0;
  const double k = nearest_whole(x * kInvLn2);
  return scale(exp_near_zero((x - k * kLn2Hi) - k * kLn2Lo), static_cast<int>(k));
}

double exp2(double x) {
  if (is_nan(x)) return x;
  if (x >= 1024) return kInf;
  if (x < -1075.5) return 0;
  const double k = nearest_whole(x);
  return scale(exp_near_zero((x - k) * kLn2), static_cast<int>(k));
}

double log(double x) {
  double special;
  if (log_special(x, special)) return special;
  const auto [m, k] = split(x);
  return k * kLn2Hi + (log_near_one(m) + k * kLn2Lo);
}

double log2(double x) {
  double special;
  if (log_special(x, special)) return special;
  const auto [m, k] = split(x);
  return k + log_near_one(m) * kInvLn2;
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (is_nan(x) || is_nan(y)) return kNan;
  const bool odd = is_odd(y);
  const bool negative = std::bit_cast<std::uint64_t>(x) >> 63 != 0;
  const double a = negative ? -x : x;
  const double sign = negative && odd ? -1 : 1;
  if (a == 0) return y < 0 ? sign * kInf : sign * 0.0;
  if (a == kInf) return y < 0 ? sign * 0.0 : sign * kInf;
  if (a == 1 && (y == kInf || y == -kInf)) return 1;
  if (y == kInf) return a > 1 ? kInf : 0;
  if (y == -kInf) return a > 1 ? 0 : kInf;
  if (negative && !is_whole(y)) return kNan;
  if (a == 1) return sign;
  if (y > 1e30 || y < -1e30)  // |log2(a)| >= 1.6e-16: out of range either way
    return sign * ((a > 1) == (y > 0) ? kInf : 0.0);
  const Pair e = times(log2_pair(a), y);
  if (e.hi >= 1024.5) return sign * kInf;
  if (e.hi < -1076) return sign * 0.0;
  const double k = nearest_whole(e.hi);
  const double r = (e.hi - k) + e.lo;
  return sign * scale(exp_near_zero(r * kLn2), static_cast<int>(k));
}

double sin(double x) {
  if (is_nan(x) || x == kInf || x == -kInf) return kNan;
  const double a = x < 0 ? -x : x;
  if (a < 0x1p-27) return x;
  if (a <= kHalfPi / 2) return sin_near_zero(x);
  const auto [quadrant, fraction] = reduce(a);
  const double r = fraction * kHalfPi;
  double s = (quadrant & 1) != 0 ? cos_near_zero(r) : sin_near_zero(r);
  if ((quadrant & 2) != 0) s = -s;
  return x < 0 ? -s : s;
}

double normal_quantile(double p) {
  const auto ratio = [](double r, const double(&top)[8], const double(&bottom)[8]) {
    double n = top[7], d = bottom[7];
    for (int i = 6; i >= 0; --i) {
      n = n * r + top[i];
      d = d * r + bottom[i];
    }
    return n / d;
  };
  static constexpr double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                  1.9715909503065514427e3, 1.3731693765509461125e4,
                                  4.5921953931549871457e4, 6.7265770927008700853e4,
                                  3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double b[8] = {1,
                                  4.2313330701600911252e1,
                                  6.8718700749205790830e2,
                                  5.3941960214247511077e3,
                                  2.1213794301586595867e4,
                                  3.9307895800092710610e4,
                                  2.8729085735721942674e4,
                                  5.2264952788528545610e3};
  static constexpr double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                  5.76949722146069140550e0,  3.64784832476320460504e0,
                                  1.27045825245236838258e0,  2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[8] = {1,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  static constexpr double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[8] = {1,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};
  if (is_nan(p) || p < 0 || p > 1) return kNan;
  const double q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) return q * ratio(0.180625 - q * q, a, b);
  const double tail = q < 0 ? p : 1 - p;
  if (tail == 0) return q < 0 ? -kInf : kInf;
  const double r = std::sqrt(-log(tail));
  const double z = r <= 5 ? ratio(r - 1.6, c, d) : ratio(r - 5, e, f);
  return q < 0 ? -z : z;
}

}  // namespace muster::detmath
