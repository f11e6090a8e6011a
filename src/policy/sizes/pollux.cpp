#include <algorithm>
#include <map>
#include <queue>
#include <vector>

#include "muster/core/detmath.hpp"
#include "muster/policy/parts/size_rule.hpp"

namespace muster {
namespace {

/// A size that a job might have, and what that costs the fleet's fitness.
struct Option {
  std::uint32_t gpus;
  double cost;
};

/// The options that are worth their GPUs: each is cheaper than the one before, and none saves more per GPU
/// than the one before it. (The lower convex hull; with one of these a GPU at a time is the best that can be
/// done, but for the last step.)
void keep_hull(std::vector<Option>& options) {
  std::size_t kept = 0;
  for (const Option& o : options) {
    if (kept > 0 && o.cost >= options[kept - 1].cost) continue;
    const auto slope = [](const Option& a, const Option& b) {
      return (a.cost - b.cost) / (b.gpus - a.gpus);
    };
    while (kept > 1 && slope(options[kept - 2], options[kept - 1]) <= slope(options[kept - 1], o))
      --kept;
    options[kept++] = o;
  }
  options.resize(kept);
}

/// Pollux (Qiao et al., OSDI'21, section 4.2): the allocation of largest fitness,
///   FITNESS = (1/J sum over jobs of SPEEDUP^p)^(1/p),   p = `power` (-1)
///   SPEEDUP = goodput / goodput on a fair share of the GPUs, ceil(N / J)
/// where the SPEEDUP of a running job whose size would change is multiplied by
///   (T - R d) / (T + d):  T since it was submitted, R changes so far, d what a change costs.
/// Goodput, throughput times statistical efficiency at the best batch size, is the job's speed by
/// the trace's table; nobody has more than twice the GPUs that it ever had (the paper's exploration of
/// the unknown), so everybody begins with one.
///
/// The paper searches places by a genetic algorithm. Here sizes are found by number, taking GPUs to lie well:
/// the step that saves most per GPU, of all jobs, until none is left (a multiple-choice knapsack by
/// its convex hull: exact but for the last GPUs). Places are looked for afterwards, and network
/// interference between jobs on one node is not avoided. A pass costs O(jobs x sizes + GPUs log jobs).
class Pollux final : public SizeRule {
 public:
  explicit Pollux(const SizeOptions& options) : options_(options) {}

  void deal(const View& view, std::span<Claim> claims, Room& room, Plan&) override {
    fair_ = fair_share(view, room.jobs());
    std::priority_queue<Step> steps;
    options_of_.resize(claims.size());
    for (std::size_t i = 0; i < claims.size(); ++i) {
      Claim& c = claims[i];
      options_of_[i].clear();
      if (c.blocked) continue;
      if (c.fixed) {
        room.take(c, c.held);
        continue;
      }
      list_options(view, c, options_of_[i]);
      keep_hull(options_of_[i]);
      add_step(i, 0, steps);
    }
    while (!steps.empty()) {
      const Step s = steps.top();
      steps.pop();
      Claim& c = claims[s.claim];
      if (room.take(c, options_of_[s.claim][s.to].gpus - c.size))
        add_step(s.claim, s.to, steps);
      else
        take_what_is_left(view, c, options_of_[s.claim][s.to].gpus, room);
    }
    stay_where_it_pays(view, claims, room);
  }

  /// Those that are alike cost the same: the first in the queue goes first.
  std::optional<std::int64_t> turn(const View&, const Claim&) const override { return 0; }

 private:
  struct Step {
    double gain;  // per GPU
    std::size_t claim, to;
    friend bool operator<(const Step& a, const Step& b) {
      return a.gain != b.gain ? a.gain < b.gain : a.claim > b.claim;
    }
  };

  static std::uint32_t fair_share(const View& view, std::size_t in_the_system) {
    const auto jobs = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(in_the_system));
    return std::max(1U, (view.fleet.gpus + jobs - 1) / jobs);
  }

  /// What it costs that `c` has so many GPUs: SPEEDUP^p, which is to be small (p < 0).
  double cost(const View& view, const Claim& c, std::uint32_t gpus) const {
    constexpr double kNothing = 1e-3;  // added to each, so that 0 GPUs cost much but not everything
    double speedup = 0;
    if (gpus > 0) {
      const Sizes range = view.jobs.sizes(c.job);
      const std::uint32_t fair = std::clamp(fair_, range.least, range.most);
      speedup =
          static_cast<double>(view.jobs.speed(c.job, gpus).num) / view.jobs.speed(c.job, fair).num;
      if (c.held > 0 && gpus != c.held) speedup *= worth_after_change(c);
    }
    return detmath::pow(speedup + kNothing, options_.power);
  }

  static double worth_after_change(const Claim& c) {
    const double age = seconds(c.age), price = seconds(c.overhead);
    if (!(age + price > 0)) return 1;
    return std::max(age - c.changes * price, 0.0) / (age + price);
  }

  void list_options(const View& view, const Claim& c, std::vector<Option>& out) const {
    out.push_back({0, cost(view, c, 0)});
    const std::uint32_t most = std::min(c.sizes.most, std::max(c.sizes.least, 2 * c.most_held));
    for (std::uint32_t n = c.sizes.least; n <= most; ++n) out.push_back({n, cost(view, c, n)});
  }

  void add_step(std::size_t claim, std::size_t from, std::priority_queue<Step>& steps) const {
    const std::vector<Option>& o = options_of_[claim];
    if (from + 1 >= o.size()) return;
    steps.push(
        {(o[from].cost - o[from + 1].cost) / (o[from + 1].gpus - o[from].gpus), claim, from + 1});
  }

  /// The whole step does not fit any more: the best size below it that does.
  void take_what_is_left(const View& view, Claim& c, std::uint32_t below, Room& room) const {
    const double now = cost(view, c, c.size);
    for (std::uint32_t n = below - 1; n > c.size && n >= c.sizes.least; --n)
      if (cost(view, c, n) < now && room.take(c, n - c.size)) return;
  }

  /// Whoever got a size that is no better than the one it has, keeps that.
  void stay_where_it_pays(const View& view, std::span<Claim> claims, Room& room) const {
    for (Claim& c : claims) {
      if (c.waits() || c.size == c.held || cost(view, c, c.held) > cost(view, c, c.size)) continue;
      if (c.held < c.size)
        room.give_back(c, c.size - c.held);
      else
        room.take(c, c.held - c.size);
    }
  }

  SizeOptions options_;
  std::uint32_t fair_ = 1;
  std::vector<std::vector<Option>> options_of_;  // by claim
};

const SizeRules::Add<Pollux> registered{
    "pollux", "the largest mean, by `power`, of the jobs' speeds over those on a fair share"};

}  // namespace
}  // namespace muster
