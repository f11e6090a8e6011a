#include "muster/policy/parts/preemption.hpp"

namespace muster {
namespace {

class Youngest final : public VictimRule {
 public:
  std::int64_t cost(const View&, const RunningJob& r, PreemptMode) const override {
    return -r.start.time_since_epoch().count();
  }
};

class LeastLost final : public VictimRule {
 public:
  std::int64_t cost(const View& view, const RunningJob& r, PreemptMode mode) const override {
    return lost_if_stopped(view, r, mode).count();
  }
};

class FewestGpus final : public VictimRule {
 public:
  std::int64_t cost(const View&, const RunningJob& r, PreemptMode) const override {
    return r.milli;
  }
};

class Cheapest final : public VictimRule {
 public:
  std::int64_t cost(const View& view, const RunningJob& r, PreemptMode mode) const override {
    // GPU-milliseconds: whole, and within 64 bits for a million GPUs over a year.
    return lost_if_stopped(view, r, mode).count() / 1'000'000 * (r.milli / 1000 + 1);
  }
};

const VictimRules::Add<Youngest> youngest{"youngest", "the latest to start goes first"};
const VictimRules::Add<LeastLost> least_lost{"least_lost", "the one that loses least work"};
const VictimRules::Add<FewestGpus> fewest_gpus{"fewest_gpus", "the smallest gang first"};
const VictimRules::Add<Cheapest> cheapest{"cheapest", "least work lost times GPUs held"};

}  // namespace
}  // namespace muster
