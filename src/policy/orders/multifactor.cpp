#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.hpp"
#include "muster/policy/parts/account_tree.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

constexpr double kMostWeight = 4294967295;  // Slurm's are 32 bits

struct MultifactorParams final : OrderParams {
  // The weights of the example in Slurm's documentation ("Configuration Example"); QOS as partition.
  double age = 1000, fair_share = 10000, size = 1000, partition = 1000, qos = 1000;
  Duration max_age = std::chrono::hours{24 * 7};
  bool favor_small = false;
  bool fair_tree = false;
  double damping = 1;
  std::map<std::string, std::int64_t> shares, partitions,
      qualities{{"guaranteed", 3}, {"normal", 2}, {"best_effort", 1}, {"spot", 0}};

  void walk(ParamVisitor& visit) override {
    visit.visit("weight_age", age, 0, kMostWeight, "multifactor: of the time waited");
    visit.visit("weight_fair_share", fair_share, 0, kMostWeight, "multifactor: of the fair share");
    visit.visit("weight_job_size", size, 0, kMostWeight, "multifactor: of the GPUs asked for");
    visit.visit("weight_partition", partition, 0, kMostWeight, "multifactor: of the queue");
    visit.visit("weight_qos", qos, 0, kMostWeight, "multifactor: of the quality of service");
    visit.visit("max_age", max_age, "multifactor: waiting longer than this brings no more");
    visit.visit("favor_small", favor_small, "multifactor: the fewer GPUs the better");
    visit.visit(
        "fair_tree", fair_tree,
        "multifactor: fair shares by Slurm's Fair Tree, its default since 19.05; false: the "
        "classic ones (PriorityFlags=NO_FAIR_TREE)");
    visit.visit("damping", damping, 1, 1e6,
                "multifactor: divides the exponent of the classic fair-share factor");
    visit.visit(
        "shares", shares,
        "multifactor: shares of accounts and users by path (\"A\", \"A/B\", \"A/B/user\"); 1 "
        "for those not named, who stand below the account that is their group, or at the root");
    visit.visit("partition_priority", partitions,
                "multifactor: of each queue, over the highest; 1 for those not named");
    visit.visit("qos_priority", qualities,
                "multifactor: of guaranteed, normal, best_effort, spot, over the highest");
  }
};

/// A number over the largest of its kind, as Slurm normalises partition and QOS priorities.
double part_of_highest(const std::map<std::string, std::int64_t>& all, std::string_view name,
                       std::int64_t otherwise) {
  std::int64_t highest = otherwise;
  for (const auto& [key, value] : all) highest = std::max(highest, value);
  const auto it = all.find(std::string{name});
  const std::int64_t mine = it == all.end() ? otherwise : it->second;
  return highest > 0
             ? static_cast<double>(std::max<std::int64_t>(mine, 0)) / static_cast<double>(highest)
             : 0;
}

/// Slurm's priority/multifactor (slurm.schedmd.com/priority_multifactor.html, "Multifactor Job
/// Priority Plugin"; PriorityCalcPeriod of slurm.conf), largest first:
///   site + W_age min(1, waited / max_age) + W_fair_share F + W_job_size gpus / fleet
///        + W_partition p / max(p) + W_qos q / max(q)
/// as a whole number, F by AccountTree (classic, or by the Fair Tree), the trace's own
/// `priority` as site factor, age from the original submission (ACCRUE_ALWAYS). Fair shares decay and
/// priorities change once per calc_period (PriorityCalcPeriod, 5 min); a job that comes in between
/// is ranked by the factors of the last computation. That is as of the last multiple of calc_period, which is
/// when Slurm's own clock has it: ages and usage since then don't count yet, though the pass comes later.
///
/// Each computation sorts the queue, O(n log n): ages saturate and fair shares move against each
/// other, so no fixed key will do. A longer calc_period costs less.
class MultifactorOrder final : public Order {
 public:
  explicit MultifactorOrder(const OrderOptions& o)
      : options_(o),
        params_(o.of<MultifactorParams>("multifactor")),
        period_(o.calc_period, std::chrono::minutes{5}),
        tree_(params_.fair_tree ? AccountTree::Algorithm::fair_tree
                                : AccountTree::Algorithm::classic) {
    if (o.half_life <= Duration{})
      throw InputError("/policy/half_life", "expected a time above 0",
                       "usage that never decays is half_life=36500d");
    if (params_.max_age <= Duration{})
      throw InputError("/policy/max_age", "expected a time above 0",
                       "weight_age=0 leaves the age out");
    for (const auto& [path, shares] : params_.shares) {
      if (shares < 0) throw InputError("/policy/shares", "expected no share below 0");
      tree_[tree_.at(path)].shares = shares;
    }
    for (const auto& [name, used] : o.usage)
      tree_[known(name)].used.gpu_seconds = static_cast<double>(used);
    for (std::size_t q = 0; q < quality_.size(); ++q)
      quality_[q] = part_of_highest(params_.qualities, name(static_cast<Qos>(q)), 0);
    for (const auto& [key, value] : params_.qualities) check_quality(key);
  }

  void begin(const View& view, std::uint64_t) override {
    for (std::uint32_t id = 0; id < view.jobs.names().size(); ++id)
      partition_.push_back(part_of_highest(params_.partitions, view.jobs.names()[NameId{id}], 1));
    tree_.update(view.now, options_.half_life, params_.damping);
  }

  std::int64_t key(const View& view, JobId job) override {
    return -static_cast<std::int64_t>(std::floor(factors(view, job).sum()));
  }

  bool refresh(const View& view) override {
    compute(view);
    return std::exchange(computed_, false);
  }

  SimTime next_refresh() const override { return period_.next(); }

  std::string standing(const View& view, JobId job) override {
    const Factors f = factors(view, job);
    const auto part = [](std::string_view name, double value) {
      const auto whole = static_cast<std::int64_t>(std::floor(value));
      return whole == 0 ? std::string{} : ", " + std::string{name} + " " + std::to_string(whole);
    };
    const std::string parts = part("site", f.site) + part("age", f.age) +
                              part("fair share", f.fair_share) + part("size", f.size) +
                              part("partition", f.partition) + part("QOS", f.qos);
    return "job " + std::string{view.jobs.id_text(job)} + " has priority " +
           std::to_string(static_cast<std::int64_t>(std::floor(f.sum()))) +
           (parts.empty() ? "" : " (" + parts.substr(2) + ")");
  }

  void started(const View& view, const RunningJob& r) override { shift(view, r, +1); }
  void stopped(const View& view, const RunningJob& r) override { shift(view, r, -1); }

 private:
  /// What each of them brings, as `sprio` shows it.
  struct Factors {
    double site, age, fair_share, size, partition, qos;
    double sum() const { return site + age + fair_share + size + partition + qos; }
  };

  Factors factors(const View& view, JobId job) {
    const Duration waited = std::min(at_ - view.jobs.submit(job), params_.max_age);
    const double age = std::max(0.0, seconds(waited) / seconds(params_.max_age));
    const double gpus = view.demands[view.jobs.shape(job)].gpus_touched();
    const double size = std::min(1.0, gpus / view.fleet.gpus);
    return {static_cast<double>(view.jobs.priority(job)),
            params_.age * age,
            params_.fair_share * tree_[account(view, job)].factor,
            params_.size * (params_.favor_small ? 1 - size : size),
            params_.partition * partition_[view.jobs.queue(job).value],
            params_.qos * quality_[static_cast<std::size_t>(view.jobs.qos(job))]};
  }

  static void check_quality(const std::string& key) {
    std::vector<std::string> known;
    for (std::size_t q = 0; q < 4; ++q) known.emplace_back(name(static_cast<Qos>(q)));
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InputError("/policy/qos_priority", "there is no quality of service \"" + key + "\"",
                       did_you_mean(key, known));
  }

  std::size_t known(const std::string& name) {
    const std::size_t found = tree_.find(name);
    return found == AccountTree::kRoot ? tree_.at(name) : found;
  }

  /// Where the usage of `job` is booked: "group/user" if that is an account, else "user"; who is
  /// neither joins the account of the group.
  std::size_t account(const View& view, JobId job) {
    const NameId who = sharer_of(view.jobs, job, options_);
    const bool by_user = options_.share_by == OrderOptions::ShareBy::user;
    const NameId group = by_user ? view.jobs.group(job) : NameId{};
    const auto [it, fresh] = accounts_.try_emplace({group, who});
    if (!fresh) return it->second;
    // "" is not a name: whoever has none is one user.
    std::string name{view.jobs.names()[who]};
    if (name.empty()) name = "(none)";
    const std::string in_group = std::string{view.jobs.names()[group]} + "/" + name;
    std::size_t found = group == NameId{} ? AccountTree::kRoot : tree_.find(in_group);
    if (found == AccountTree::kRoot) found = tree_.find(name);
    if (found == AccountTree::kRoot) {
      const std::size_t above =
          group == NameId{} ? AccountTree::kRoot : tree_.find(view.jobs.names()[group]);
      found = tree_.at(above == AccountTree::kRoot ? name : tree_[above].path + "/" + name);
      tree_.rank_anew(params_.damping);
    }
    return it->second = found;
  }

  /// If it is due, and before anybody's usage goes on from this pass.
  void compute(const View& view) {
    if (!period_.due(view.now)) return;
    at_ = period_.last(view.now);
    tree_.update(at_, options_.half_life, params_.damping);
    computed_ = true;
  }

  void shift(const View& view, const RunningJob& r, int sign) {
    compute(view);
    tree_[account(view, r.job)].used.run_on(view.now, options_.half_life, sign * r.milli);
  }

  OrderOptions options_;
  MultifactorParams params_;
  CalcPeriod period_;
  SimTime at_ = kStart;    // of the last computation
  bool computed_ = false;  // since somebody asked
  AccountTree tree_;
  std::map<std::pair<NameId, NameId>, std::size_t> accounts_;  // by group and user
  std::vector<double> partition_;                              // factor by name
  std::array<double, 4> quality_{};                            // factor by Qos
};

const Orders::Add<MultifactorOrder> registered{
    "multifactor", "Slurm's priority: age, fair share, size, partition, QOS, each with its weight"};
const OrderParameters::Add<MultifactorParams> parameters{"multifactor", ""};

}  // namespace
}  // namespace muster
