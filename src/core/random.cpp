#include "muster/core/random.hpp"

#include <algorithm>

#include "muster/core/check.hpp"
#include "muster/core/detmath.hpp"

namespace muster {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

/// SplitMix64's finaliser (Steele, Lea & Flood, OOPSLA 2014; constants by Stafford): a bijection in
/// which each input bit flips each output bit with probability near 1/2.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t hash(std::string_view text) {  // FNV-1a, by byte
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

}  // namespace

Stream::Stream(std::uint64_t seed, std::string_view name)
    : key_(mix(mix(seed + kGolden) ^ hash(name))), key2_(mix(~key_)) {}

// Two keys, one before and one between two rounds: with the first alone, all streams would be the
// same sequence at different offsets. (The second must not be mix(key + n * golden) for a small n,
// or the n-th number of every stream would be mix(0).)
std::uint64_t Stream::at(std::uint64_t n) const { return mix(mix(key_ + n * kGolden) ^ key2_); }

std::uint64_t Stream::below(std::uint64_t n) {
  // Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
  MUSTER_CHECK(n > 0);
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{next()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t biased = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < biased) product = Wide{next()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Stream::exponential(double mean) { return -mean * detmath::log(1 - uniform()); }

double Stream::normal() {
  // The middle of one of 2^52 equal cells: never 0 or 1, and symmetric.
  return detmath::normal_quantile((static_cast<double>(next() >> 12) + 0.5) * 0x1p-52);
}

double Stream::lognormal(double mu, double sigma) { return detmath::exp(mu + sigma * normal()); }

double Stream::pareto(double alpha, double least) {
  return least * detmath::exp(-detmath::log(1 - uniform()) / alpha);
}

double Stream::bounded_pareto(double alpha, double least, double most) {
  // Inverse of F(x) = (1 - (least/x)^alpha) / (1 - (least/most)^alpha).
  const double cut = 1 - detmath::exp(alpha * detmath::log(least / most));
  const double x = least * detmath::exp(-detmath::log(1 - uniform() * cut) / alpha);
  return std::min(x, most);  // the last bit may be over
}

WeightedChoice::WeightedChoice(std::span<const std::uint64_t> weights) {
  ends_.reserve(weights.size());
  for (const std::uint64_t w : weights) {
    MUSTER_CHECK(w <= UINT64_MAX - total_);
    ends_.push_back(total_ += w);
  }
  MUSTER_CHECK(total_ > 0);
}

std::size_t WeightedChoice::pick(std::uint64_t ticket) const {
  return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), ticket) -
                                  ends_.begin());
}

}  // namespace muster
