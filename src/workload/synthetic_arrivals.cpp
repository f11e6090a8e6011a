#include "workload/synthetic_arrivals.hpp"

#include <algorithm>

#include "muster/core/detmath.hpp"
#include "muster/core/error.hpp"
#include "muster/core/random.hpp"

namespace muster::synthetic {
namespace {

constexpr double kHour = 3600e9;  // in ns, as all times here
constexpr double kDay = 24 * kHour;
constexpr double kTwoPi = 6.283185307179586;

/// The integral of the arrival rate, as a line of pieces on which the rate is constant.
class Intensity {
 public:
  Intensity(const SyntheticSpec::Arrivals& a, Duration span, std::uint64_t seed) {
    // Pieces of five minutes follow the day closely; a long trace takes longer ones.
    constexpr double kMostPieces = 1e6;
    const double length = static_cast<double>(span.count());
    piece_ = std::max(300e9, length / kMostPieces);
    const auto pieces = static_cast<std::size_t>(length / piece_) + 1;
    const double hold = std::max(piece_, static_cast<double>(a.burst_hold.count()));
    Stream bursts(seed, "synthetic bursts");

    sums_.reserve(pieces + 1);
    sums_.push_back(0);
    for (std::size_t i = 0; i < pieces; ++i) {
      const double begin = static_cast<double>(i) * piece_;
      const double end = std::min(length, begin + piece_);
      const double middle = (begin + end) / 2;
      // The burst of a time is a function of the time alone: no draw shifts another.
      bursts.seek(static_cast<std::uint64_t>(begin / hold));
      const double rate =
          cycle(a, middle) * bursts.lognormal(-a.burst_sigma * a.burst_sigma / 2, a.burst_sigma);
      sums_.push_back(sums_.back() + rate * (end - begin));
    }
  }

  double total() const { return sums_.back(); }

  /// The time at which the integral reaches `sum`. Calls must not go down.
  double inverse(double sum) {
    while (at_ + 2 < sums_.size() && sums_[at_ + 1] <= sum) ++at_;
    const double rise = sums_[at_ + 1] - sums_[at_];
    const double part = rise > 0 ? (sum - sums_[at_]) / rise : 0;
    return (static_cast<double>(at_) + std::min(part, 1.0)) * piece_;
  }

 private:
  static double cycle(const SyntheticSpec::Arrivals& a, double t) {
    const double hour = t / kHour;
    const double swing = 1 + a.day * detmath::sin(kTwoPi * ((hour - a.peak_hour) / 24 + 0.25));
    const auto weekday = (static_cast<std::int64_t>(t / kDay) + a.first_day) % 7;
    return swing * (weekday >= 5 ? a.weekend : 1);
  }

  double piece_ = 0;
  std::vector<double> sums_;
  std::size_t at_ = 0;
};

std::int64_t whole(double t, std::int64_t resolution) {
  return static_cast<std::int64_t>(t) / resolution * resolution;
}

}  // namespace

std::vector<Duration> arrival_times(const SyntheticSpec::Arrivals& a, Duration span,
                                    Duration resolution, const std::vector<std::uint32_t>& batches,
                                    std::uint64_t seed) {
  Intensity intensity(a, span, seed);
  if (!(intensity.total() > 0))
    throw InputError("/arrivals", "nothing would arrive: the rate is zero during the whole span",
                     "a span within a weekend needs /arrivals/weekend above 0");
  Stream gaps(seed, "synthetic arrivals"), together(seed, "synthetic batch together"),
      inside(seed, "synthetic batch gaps");

  std::vector<double> begins(batches.size());
  double sum = 0;
  std::size_t jobs = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    begins[b] = sum += gaps.exponential(1);
    jobs += batches[b];
  }
  sum += gaps.exponential(1);  // the batch after the last would come at the end of the span
  const double scale = intensity.total() / sum;

  std::vector<Duration> times;
  times.reserve(jobs);
  const double mean_gap = static_cast<double>(a.batch_gap.count());
  const double last = static_cast<double>(span.count());
  for (std::size_t b = 0; b < batches.size(); ++b) {
    double t = std::min(intensity.inverse(begins[b] * scale), last);
    times.emplace_back(whole(t, resolution.count()));
    for (std::uint32_t i = 1; i < batches[b]; ++i) {
      const double gap = inside.exponential(mean_gap);
      if (!together.chance(a.batch_together)) t += gap;
      times.emplace_back(whole(t, resolution.count()));
    }
  }
  return times;
}

}  // namespace muster::synthetic
