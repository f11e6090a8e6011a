#include "muster/policy/parts/rank.hpp"

namespace muster {
namespace {

/// Least attained service first: whoever ran least so far (Kleinrock's foreground-background queue;
/// Rai et al., SIGMETRICS'03). Needs no estimate. With quantum = 0 it looks at events only.
class Las final : public Rank {
 public:
  explicit Las(const RankOptions&) {}
  RankKey key(const Standing& s, SimTime) override { return {s.ran.count(), s.running ? 1 : 0}; }
  bool by_estimates() const override { return false; }
  std::string words(const Standing& s, SimTime) const override {
    return "has run for " + to_decimal(s.ran.count(), 9) + " s";
  }
};

/// The same in two dimensions, time x GPUs, without Tiresias' queues (Gu et al., NSDI'19,
/// section 3.1).
class Las2d final : public Rank {
 public:
  explicit Las2d(const RankOptions&) {}
  RankKey key(const Standing& s, SimTime) override { return {s.service, s.running ? s.milli : 0}; }
  bool by_estimates() const override { return false; }
  std::string words(const Standing& s, SimTime) const override {
    return "has had " + to_decimal(s.service, 12) + " GPU-seconds";
  }
};

const Ranks::Add<Las> las{"las", "least attained service first: time"};
const Ranks::Add<Las2d> las_2d{"las_2d", "least attained service first: time x GPUs"};

}  // namespace
}  // namespace muster
