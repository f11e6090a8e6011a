#include <queue>

#include "muster/policy/parts/size_rule.hpp"

namespace muster {
namespace {

/// The largest marginal gain first (Peng et al., EuroSys'18, section 4.1): every job has its least size,
/// in queue order and those that run before those that wait; each further GPU goes to the job whose
/// predicted completion it brings forward most,
///   gain(n) = Q / f(n) - Q / f(n + 1),
/// with Q the work left and f its speed on n GPUs. Optimus deals out workers and parameter servers; here
/// there is one resource, so the gain per share of the dominant resource is the gain per GPU.
class Optimus final : public SizeRule {
 public:
  explicit Optimus(const SizeOptions& options) : options_(options) {}

  bool in_order() const override { return !options_.skip; }
  bool keeps_rigid() const override { return true; }

  void deal(const View& view, std::span<Claim> claims, Room& room, Plan&) override {
    for (Claim& c : claims)
      if (!c.waits()) room.take(c, c.sizes.least);
    for (Claim& c : claims) {
      if (!c.waits()) continue;
      const bool in = !c.blocked && room.take(c, c.sizes.least);
      if (!in && !options_.skip) break;
    }
    std::priority_queue<Gain> gains;
    for (std::size_t i = 0; i < claims.size(); ++i) add(view, claims, i, gains);
    while (!gains.empty()) {
      const std::size_t i = gains.top().claim;
      gains.pop();
      if (room.take(claims[i], 1)) add(view, claims, i, gains);
    }
  }

 private:
  struct Gain {
    double value;
    std::size_t claim;
    friend bool operator<(const Gain& a, const Gain& b) {
      return a.value != b.value ? a.value < b.value : a.claim > b.claim;
    }
  };

  static double time_left(const View& view, const Claim& c, std::uint32_t gpus) {
    const Speed s = view.jobs.speed(c.job, gpus);
    return seconds(c.left) * s.den / s.num;
  }
  static void add(const View& view, std::span<const Claim> claims, std::size_t i,
                  std::priority_queue<Gain>& gains) {
    const Claim& c = claims[i];
    if (c.size == 0 || c.size >= c.sizes.most) return;
    const double gain = time_left(view, c, c.size) - time_left(view, c, c.size + 1);
    if (gain > 0) gains.push({gain, i});
  }

  SizeOptions options_;
};

const SizeRules::Add<Optimus> registered{
    "optimus", "each GPU to the job whose predicted end it brings forward most"};

}  // namespace
}  // namespace muster
