#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>
#include <vector>

#include "muster/core/error.hpp"
#include "muster/policy/parts/rank.hpp"

namespace muster {
namespace {

/// Service from 0 up in buckets, four to a doubling.
constexpr std::int64_t bucket_of(std::int64_t units) {
  if (units < 8) return units;
  const auto shift =
      static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(units))) - 3;
  return 4 * shift + (units >> shift);
}
constexpr std::int64_t begin_of(std::int64_t bucket) {
  if (bucket < 8) return bucket;
  const std::int64_t shift = bucket / 4 - 1;
  return (bucket % 4 + 4) << shift;
}
static_assert(bucket_of(begin_of(63)) == 63 && bucket_of(begin_of(63) - 1) == 62);

/// 2D-Gittins index (Gittins 1979; Gu et al., NSDI'19, section 3.2): from the service S (GPUs x time)
/// that ended jobs turned out to need, the best bet for one that has attained a,
///   G(a) = max over d of  P(S - a <= d | S > a) / E[min(S - a, d) | S > a]
/// and the highest index goes first; equals by submit time. Jobs that ended so far in this run, or a
/// given table, are all it knows. Attained service counts by buckets, four to a doubling, and
/// the table is made anew whenever a tenth more jobs have ended, so keys change at known times.
class Gittins final : public Rank {
 public:
  explicit Gittins(const RankOptions& o) : learn_(o.learn) {
    for (const auto& [text, jobs] : o.history) {
      std::int64_t gpu_seconds = 0;
      const char* const last = text.data() + text.size();
      const auto [end, error] = std::from_chars(text.data(), last, gpu_seconds);
      if (error != std::errc{} || end != last || gpu_seconds <= 0 || gpu_seconds > kMost ||
          jobs < 0)
        throw InputError("/policy/history",
                         "expected GPU-seconds and a number of jobs, got \"" + text +
                             "\": " + std::to_string(jobs),
                         "for example {\"3600\": 12}");
      add(gpu_seconds, static_cast<double>(jobs));
    }
    make_table();
  }

  RankKey key(const Standing& s, SimTime now) override {
    const std::int64_t bucket = bucket_of(units(s));
    RankKey k;
    k.value = place(bucket);
    if (!s.running) return k;
    std::int64_t next = bucket;
    while (next < static_cast<std::int64_t>(places_.size()) && place(next) == k.value) ++next;
    if (next == bucket) return k;  // as bad as it gets
    const Int128 left = begin_of(next) * kGpuSecond - s.service;
    k.until = later(now, Duration{static_cast<std::int64_t>((left + s.milli - 1) / s.milli)});
    return k;
  }
  void ended(const Standing& s) override {
    if (learn_) add(units(s), 1);
  }
  bool refresh() override {
    if (total_ < tabled_ * 1.1 || total_ == tabled_) return false;
    make_table();
    return true;
  }
  bool by_estimates() const override { return false; }
  std::string words(const Standing& s, SimTime) const override {
    return "place " + std::to_string(place(bucket_of(units(s))) + 1) + " of " +
           std::to_string(worst_ + 1) + " by index after " + to_decimal(s.service, 12) +
           " GPU-seconds, by " + std::to_string(static_cast<std::int64_t>(tabled_)) +
           " jobs that have ended";
  }

 private:
  static constexpr std::int64_t kMost = 1'000'000'000'000;  // GPU-seconds

  static std::int64_t units(const Standing& s) {
    return static_cast<std::int64_t>(s.service / kGpuSecond);
  }
  void add(std::int64_t units, double jobs) {
    const auto b = static_cast<std::size_t>(bucket_of(units));
    if (b >= count_.size()) {
      count_.resize(b + 1);
      sum_.resize(b + 1);
    }
    count_[b] += jobs;
    sum_[b] += jobs * static_cast<double>(units);
    total_ += jobs;
  }
  std::int64_t place(std::int64_t bucket) const {
    return bucket < static_cast<std::int64_t>(places_.size())
               ? places_[static_cast<std::size_t>(bucket)]
               : worst_;
  }

  /// G for a job at the beginning of bucket `b`, of which `left` went on to at least there.
  double index(std::size_t b, double left) const {
    const double a = static_cast<double>(begin_of(static_cast<std::int64_t>(b)));
    double best = 0, ended = 0, spent = 0;
    for (std::size_t e = b; e < count_.size(); ++e) {
      if (count_[e] <= 0) continue;
      ended += count_[e];
      spent += sum_[e] - a * count_[e];
      const double d = static_cast<double>(begin_of(static_cast<std::int64_t>(e) + 1)) - a;
      best = std::max(best, ended / std::max(spent + (left - ended) * d, 1.0));
    }
    return best;
  }

  void make_table() {
    tabled_ = total_;
    std::vector<double> indices(count_.size());
    double left = 0;
    for (std::size_t b = count_.size(); b-- > 0;) {
      left += count_[b];
      indices[b] = index(b, left);
    }
    std::vector<std::size_t> order(count_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return indices[a] > indices[b]; });
    places_.assign(count_.size(), 0);
    worst_ = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && indices[order[i]] != indices[order[i - 1]]) ++worst_;
      places_[order[i]] = worst_;
    }
    if (!order.empty()) ++worst_;  // beyond all that has been seen
  }

  bool learn_;
  std::vector<double> count_, sum_;  // by bucket: jobs that ended in it, and their service
  double total_ = 0, tabled_ = 0;
  std::vector<std::int64_t> places_;  // by bucket: 0 is the highest index
  std::int64_t worst_ = 0;
};

const Ranks::Add<Gittins> registered{
    "gittins", "highest 2D-Gittins index first, from the service of jobs that have ended"};

}  // namespace
}  // namespace muster
