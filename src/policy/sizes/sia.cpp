#include <algorithm>
#include <limits>
#include <vector>

#include "../rounds/linear_program.hpp"
#include "best_choices.hpp"
#include "muster/core/check.hpp"
#include "muster/core/detmath.hpp"
#include "muster/policy/parts/size_rule.hpp"

namespace muster {
namespace {

/// GPUs of one type that a job might have.
struct Config {
  std::size_t pool;
  std::uint32_t gpus;
  double gain;  // of having these instead of none
};

/// Sia (Jayaram Subramanya et al., SOSP'23, section 3.4): each job has one of its configurations, so many
/// GPUs of one type, or none, such that
///   sum over jobs of (lambda - (H G)^p) is the largest,   p = `power` (-0.5), lambda = 1.1
/// with G the goodput there over the job's least in any configuration, and H, for another
/// configuration than the present one, what is left of the time after one more change,
///   H = (T - R d) / (T + d):  T since it was submitted, R changes so far, d what a change costs.
/// Configurations are powers of two up to a node, whole nodes beyond, and its least size; nobody gets more
/// than twice the GPUs that it ever had, and everybody begins with its least. Whoever is too wide for any
/// one type goes before the others, at its least size.
///
/// The paper solves an integer program. Here its linear relaxation is solved (CLP), of which a vertex leaves
/// at most one job per type divided; these get the best that still fits, in queue order, and so does
/// whoever can have more of what is left. Goodputs are the trace's table's from the beginning, where Sia learns
/// them as jobs run. A pass costs a linear program of jobs x configurations columns; on a fleet of one type, where
/// the relaxation has an answer in closed form, O(n log n).
class Sia final : public SizeRule {
 public:
  explicit Sia(const SizeOptions& options) : options_(options) {}

  void deal(const View& view, std::span<Claim> claims, Room& room, Plan&) override {
    configs_.resize(claims.size());
    for (std::size_t i = 0; i < claims.size(); ++i) {
      configs_[i].clear();
      if (claims[i].fixed)
        room.take(claims[i], claims[i].held);
      else if (!claims[i].blocked)
        list_configs(view, claims[i], configs_[i]);
    }
    for (Claim& c : claims)  // whom no type can hold alone: where it is, or before the others
      if (c.anywhere == 0 && !c.fixed && !c.blocked)
        room.take(c, c.waits() ? c.sizes.least : c.held);
    const std::vector<std::size_t> given = view.fleet.pools.size() == 1
                                               ? solve_one_type(claims, room.left_in(0))
                                               : solve(view, claims, room);
    for (std::size_t i = 0; i < claims.size(); ++i)
      if (given[i] != kNone) take(claims[i], configs_[i][given[i]], room);
    for (std::size_t i = 0; i < claims.size(); ++i)
      if (claims[i].size == 0 && claims[i].anywhere != 0) take_best(claims[i], configs_[i], room);
    for (std::size_t i = 0; i < claims.size(); ++i) take_more(claims[i], configs_[i], room);
  }

  /// On one type of GPU those that are alike gain the same: the first in the queue goes first.
  std::optional<std::int64_t> turn(const View& view, const Claim&) const override {
    if (view.fleet.pools.size() > 1) return std::nullopt;
    return 0;
  }

 private:
  static constexpr std::size_t kNone = kNoChoice;
  static constexpr double kLambda = 1.1;

  static std::vector<std::uint32_t> sizes_in(const View& view, const Claim& c, std::size_t pool) {
    if (!c.sizes.elastic()) return {c.sizes.least};
    std::uint32_t width = 1;
    for (const Fleet::Node& node : view.fleet.nodes)
      if (node.pool == pool) width = std::max<std::uint32_t>(width, node.gpus);
    const std::uint32_t most =
        std::min({c.sizes.most, view.fleet.pools[pool].gpus,
                  std::max(c.sizes.least, 2 * std::max(c.most_held, c.held))});
    std::vector<std::uint32_t> sizes{c.sizes.least};
    for (std::uint32_t n = 1; n <= most; n = n < width ? std::min(2 * n, width) : n + width)
      if (n > c.sizes.least) sizes.push_back(n);
    if (c.held > c.sizes.least && std::find(sizes.begin(), sizes.end(), c.held) == sizes.end())
      sizes.push_back(c.held);
    return sizes;
  }

  void list_configs(const View& view, const Claim& c, std::vector<Config>& out) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t pool = 0; pool < view.fleet.pools.size(); ++pool) {
      if (((c.anywhere >> pool) & 1) == 0) continue;
      for (const std::uint32_t n : sizes_in(view, c, pool)) {
        const double speed = view.jobs.speed_in_pool(c.job, n, pool).num;
        if (!(speed > 0)) continue;
        least = std::min(least, speed);
        out.push_back({pool, n, speed});
      }
    }
    for (Config& config : out) {
      const bool same = config.gpus == c.held && c.pools == PoolMask{1} << config.pool;
      double goodput = config.gain / least;
      if (c.held > 0 && !same) goodput *= worth_after_change(c);
      config.gain = kLambda - detmath::pow(std::max(goodput, 1e-4), options_.power);
    }
  }

  static double worth_after_change(const Claim& c) {
    const double age = seconds(c.age), price = seconds(c.overhead);
    if (!(age + price > 0)) return 1;
    return std::max(age - c.changes * price, 0.0) / (age + price);
  }

  /// By claim: the configuration that it has in the best solution of the relaxed program, if it is whole.
  std::vector<std::size_t> solve(const View& view, std::span<const Claim> claims,
                                 const Room& room) const {
    rounds::LinearProgram program;
    std::vector<rounds::LinearProgram::Terms> of_pool(view.fleet.pools.size());
    std::vector<std::vector<rounds::LinearProgram::Column>> columns(claims.size());
    bool any = false;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      rounds::LinearProgram::Terms one;
      for (const Config& config : configs_[i]) {
        columns[i].push_back(program.column(config.gain));
        one.push_back({columns[i].back(), 1});
        const double gpus = static_cast<double>(config.gpus * claims[i].milli) / 1000;
        of_pool[config.pool].push_back({columns[i].back(), gpus});
        any = true;
      }
      if (!one.empty()) program.row(-rounds::kInfinite, 1, std::move(one));
    }
    std::vector<std::size_t> given(claims.size(), kNone);
    if (!any) return given;
    for (std::size_t pool = 0; pool < of_pool.size(); ++pool)
      program.row(-rounds::kInfinite, room.left_in(pool), std::move(of_pool[pool]));
    const auto s = program.maximise();
    MUSTER_CHECK(s.found);
    for (std::size_t i = 0; i < claims.size(); ++i)
      for (std::size_t k = 0; k < columns[i].size(); ++k)
        if (s.x[static_cast<std::size_t>(columns[i][k])] > 1 - 1e-6) given[i] = k;
    return given;
  }

  std::vector<std::size_t> solve_one_type(std::span<const Claim> claims, double room) const {
    std::vector<std::vector<Choice>> choices(claims.size());
    for (std::size_t i = 0; i < claims.size(); ++i)
      for (const Config& config : configs_[i])
        choices[i].push_back(
            {static_cast<double>(config.gpus * claims[i].milli) / 1000, config.gain});
    return best_choices(choices, room);
  }

  static bool take(Claim& c, const Config& config, Room& room) {
    const PoolMask before = c.pools;
    c.pools = PoolMask{1} << config.pool;
    if (room.take(c, config.gpus)) return true;
    c.pools = before;
    return false;
  }

  static void take_best(Claim& c, std::vector<Config>& configs, Room& room) {
    std::stable_sort(configs.begin(), configs.end(),
                     [](const Config& a, const Config& b) { return a.gain > b.gain; });
    for (const Config& config : configs)
      if (config.gain > 0 && take(c, config, room)) return;
  }

  /// What is left of its type goes to whoever makes use of it.
  static void take_more(Claim& c, const std::vector<Config>& configs, Room& room) {
    const auto gain_of = [&](std::uint32_t gpus) {
      for (const Config& k : configs)
        if (k.gpus == gpus && c.pools == PoolMask{1} << k.pool) return k.gain;
      return -std::numeric_limits<double>::infinity();
    };
    if (c.size == 0 || c.fixed) return;
    double gain = gain_of(c.size);
    for (const Config& k : configs)
      if (c.pools == PoolMask{1} << k.pool && k.gpus > c.size && k.gain > gain &&
          room.take(c, k.gpus - c.size))
        gain = k.gain;
  }

  SizeOptions options_;
  std::vector<std::vector<Config>> configs_;  // by claim
};

const SizeRules::Add<Sia> registered{
    "sia",
    "of several types of GPU: the configurations of largest goodput, by `power`, of all jobs"};

}  // namespace
}  // namespace muster
