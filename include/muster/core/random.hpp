#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace muster {

/// A stream of random numbers for one purpose, named by a string: "arrivals", "node failures".
///
/// The n-th number is a pure function of (seed, name, n): the state is a counter, so a stream can be
/// copied, skipped and replayed, and a new purpose added to a program leaves all others alone.
/// The same on every machine: no std::*_distribution, and detmath instead of libm.
class Stream {
 public:
  Stream(std::uint64_t seed, std::string_view name);

  std::uint64_t next() { return at(counter_++); }
  /// The n-th number, wherever the stream stands.
  std::uint64_t at(std::uint64_t n) const;
  /// How many numbers were drawn; seek() goes anywhere.
  std::uint64_t position() const { return counter_; }
  void seek(std::uint64_t n) { counter_ = n; }

  /// In [0, 1): 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// A whole number in [0, n), each equally likely; n > 0. Draws more than once in one of 2^64/n cases.
  std::uint64_t below(std::uint64_t n);
  /// True with probability p.
  bool chance(double p) { return uniform() < p; }

  // Each of these draws exactly one number, so streams stay in step whatever the parameters.
  double exponential(double mean);
  double normal();
  double lognormal(double mu, double sigma);  // median e^mu, mean e^(mu + sigma^2/2)
  double pareto(double alpha, double least);  // P(X > x) = (least/x)^alpha
  /// The Pareto law cut off at `most`: conditioned on X <= most, not clamped. 0 < least < most.
  double bounded_pareto(double alpha, double least, double most);

 private:
  std::uint64_t key_, key2_;
  std::uint64_t counter_ = 0;
};

/// Chooses an index with probability weight / sum of weights, exactly: integers throughout.
class WeightedChoice {
 public:
  WeightedChoice() = default;
  /// Not all zero; the sum fits in 64 bits.
  explicit WeightedChoice(std::span<const std::uint64_t> weights);

  std::size_t operator()(Stream& stream) const { return pick(stream.below(total_)); }
  /// The index whose share of [0, total) holds `ticket`.
  std::size_t pick(std::uint64_t ticket) const;
  std::uint64_t total() const { return total_; }
  std::size_t size() const { return ends_.size(); }

 private:
  std::vector<std::uint64_t> ends_;  // running sums
  std::uint64_t total_ = 0;
};

}  // namespace muster
