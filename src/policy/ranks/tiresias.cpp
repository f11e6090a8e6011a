#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/core/error.hpp"
#include "muster/policy/parts/rank.hpp"

namespace muster {
namespace {

/// Of "30min": 1800; 0 if the text is none.
std::int64_t gpu_seconds(std::string_view text) {
  static constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86'400}};
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0 || value > 1'000'000'000) return 0;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& [name, seconds] : kUnits)
    if (unit == name) return value * seconds;
  return 0;
}

std::vector<Int128> thresholds_of(const std::string& text) {
  std::vector<Int128> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const Int128 next = gpu_seconds(std::string_view{text}.substr(at, end - at)) * kGpuSecond;
    if (next <= (all.empty() ? 0 : all.back()))
      throw InputError("/policy/thresholds",
                       "expected ascending GPU times with units, got \"" + text + "\"",
                       "for example thresholds=1h/10h for three queues");
    all.push_back(next);
    at = end + 1;
  }
  return all;
}

/// Discretised 2D-LAS (Gu et al., NSDI'19, sections 3.2 and 3.3). Attained service, GPUs x time, puts
/// a job into one of a few queues; a queue goes before all later ones. Inside a queue jobs go by
/// their first start, so those that have started go before those that have not, and these by submit
/// time; with `hold` those that run go before all of them (github.com/SymbioticLab/Tiresias, simulator/run_sim.py,
/// where those that wait move behind them after each pass). A job that has waited for its next run for
/// PROMOTEKNOB times what it ran goes back to the first queue, and what it ran and attained is counted from zero.
class Tiresias final : public Rank {
 public:
  explicit Tiresias(const RankOptions& o)
      : limits_(thresholds_of(o.thresholds)), promote_(o.promote), hold_(o.hold) {}

  RankKey key(const Standing& s, SimTime now) override {
    RankKey k;
    std::size_t queue = queue_of(s);
    if (!s.running && queue > 0 && promote_ > 0) {
      const Duration missing = until_promotion(s, now);
      if (missing <= Duration{}) {
        promoted_[s.job] = {s.service, s.ran};
        queue = 0;
      } else {
        k.until = later(now, missing);
      }
    }
    if (s.running && queue < limits_.size()) {
      const Int128 left = limits_[queue] - (s.service - base(s).service);
      const Int128 ns = (left + s.milli - 1) / s.milli;
      k.until = later(now, Duration{static_cast<std::int64_t>(std::min<Int128>(ns, INT64_MAX))});
    }
    k.value = static_cast<std::int64_t>(queue);
    k.tie = s.first_start.time_since_epoch().count();
    if (hold_ && s.running) k.tie -= kNever.time_since_epoch().count();  // before anybody who waits
    return k;
  }
  void ended(const Standing& s) override { promoted_.erase(s.job); }
  bool by_estimates() const override { return false; }
  std::string words(const Standing& s, SimTime) const override {
    return "queue " + std::to_string(queue_of(s) + 1) + " of " +
           std::to_string(limits_.size() + 1) + " after " +
           to_decimal(s.service - base(s).service, 12) + " GPU-seconds";
  }

 private:
  struct Base {
    Int128 service = 0;
    Duration ran{};
  };
  /// What it had when it was promoted last.
  const Base& base(const Standing& s) const {
    static const Base zero;
    const auto it = promoted_.find(s.job);
    return it == promoted_.end() ? zero : it->second;
  }
  std::size_t queue_of(const Standing& s) const {
    const Int128 attained = s.service - base(s).service;
    return static_cast<std::size_t>(std::upper_bound(limits_.begin(), limits_.end(), attained) -
                                    limits_.begin());
  }
  Duration until_promotion(const Standing& s, SimTime now) const {
    const double needed = promote_ * static_cast<double>((s.ran - base(s).ran).count());
    if (needed > static_cast<double>(kLongest.count())) return kLongest;
    return Duration{static_cast<std::int64_t>(needed)} - (now - s.since);
  }

  std::vector<Int128> limits_;
  double promote_;
  bool hold_;
  std::map<JobId, Base> promoted_;
};

const Ranks::Add<Tiresias> registered{"tiresias", "discretised 2D-LAS: queues by attained service"};

}  // namespace
}  // namespace muster
