#include "muster/policy/parts/quota.hpp"

#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

constexpr std::int64_t kMilli = 1000;
constexpr std::int64_t kMostGpus = 1'000'000'000;  // of one queue; a thousand queues still add up
constexpr std::size_t kDeepest = 32;
/// More than any fleet has, and far enough from overflow when a few are added.
constexpr std::int64_t kPlenty = std::int64_t{1} << 60;

std::int64_t value_or(const std::map<std::string, std::int64_t>& map, const std::string& name,
                      std::int64_t otherwise) {
  const auto it = map.find(name);
  return it == map.end() ? otherwise : it->second;
}

/// What would change nothing, or let nobody in.
void check_for_guarantees(const QuotaOptions& q) {
  if (!q.guarantees.empty() || q.by_weight) return;
  constexpr std::string_view kAdvice =
      "guarantees={\"queue\":GPUs,...} gives queues something of their own";
  if (!q.lending.empty())
    throw InputError("/policy/lending",
                     "limits what a queue lends of its guarantee, and none has one", kAdvice);
  if (!q.borrowing)
    throw InputError("/policy/borrowing",
                     "false keeps queues to their guarantees, and none has one: no job could start",
                     kAdvice);
}

}  // namespace

void QuotaOptions::walk(ParamVisitor& visit) {
  visit.visit("caps", caps, "GPUs that a queue may use at once, by name");
  visit.visit("guarantees", guarantees,
              "GPUs that are a queue's own, by name; what it does not use is lent to the others");
  visit.visit("lending", lending,
              "most of its guarantee that a queue lends, by name; not named: all of it");
  visit.visit("weights", weights,
              "a queue's weight in by_weight and reclaim=fair_share, by name; else 1");
  visit.visit("parents", parents, "the cohort above a queue or cohort, by name");
  visit.visit("pool", pool, 0, 1'000'000'000, "GPUs that are no queue's own, for all to borrow");
  visit.visit("borrowing", borrowing, "false: no queue uses more than its guarantee");
  visit.visit("by_weight", by_weight,
              "guarantee the queues of `weights` the whole fleet, in these proportions");
  check_for_guarantees(*this);
}

/// Shares by weight are exact to a thousandth of a GPU; what the division leaves over is nobody's.
std::map<std::string, std::int64_t> guaranteed_milli(const QuotaOptions& options,
                                                     std::int64_t fleet_milli) {
  std::map<std::string, std::int64_t> own;
  for (const auto& [name, gpus] : options.guarantees) own[name] = gpus * kMilli;
  if (!options.by_weight) return own;
  Int128 sum = 0;
  for (const auto& [name, weight] : options.weights) sum += weight;
  for (const auto& [name, weight] : options.weights)
    own[name] = static_cast<std::int64_t>(Int128{fleet_milli} * weight / sum);
  return own;
}

Quota::Quota(const QuotaOptions& options) : options_(options) {
  for (const auto& [name, weight] : options.weights)
    if (weight < 1 || weight > kMostGpus)
      throw InputError("/policy/weights/" + name, "expected 1.." + std::to_string(kMostGpus) +
                                                      ", got " + std::to_string(weight));
  const auto check = [](const char* param, const std::map<std::string, std::int64_t>& amounts) {
    for (const auto& [name, gpus] : amounts)
      if (gpus < 0 || gpus > kMostGpus)
        throw InputError(
            std::string{"/policy/"} + param + "/" + name,
            "expected GPUs, 0.." + std::to_string(kMostGpus) + ", got " + std::to_string(gpus));
  };
  check("caps", options.caps);
  check("guarantees", options.guarantees);
  check("lending", options.lending);
  if (options.by_weight && (options.weights.empty() || !options.guarantees.empty()))
    throw InputError("/policy/by_weight", "needs weights and no guarantees",
                     "weights={\"a\":2,\"b\":1} guarantees a two thirds of the fleet");
  build(0);
}

/// Without anything to share out only the caps count. What shares by weight leave over is everybody's.
void Quota::build(std::int64_t fleet_milli) {
  std::int64_t pool = options_.shares_out() ? options_.pool * kMilli : kPlenty;
  guaranteed_ = guaranteed_milli(options_, fleet_milli);
  if (options_.by_weight) {
    pool = fleet_milli;
    for (const auto& [name, own] : guaranteed_) pool -= own;
  }
  tree_ = QuotaTree(pool);
  nodes_.clear();
  for (const auto* amounts :
       {&options_.caps, &options_.guarantees, &options_.lending, &options_.weights})
    for (const auto& [name, ignored] : *amounts) add(name, 0);
  for (const auto& [name, parent] : options_.parents) add(name, 0);
}

std::size_t Quota::add(const std::string& name, std::size_t depth) {
  if (const auto known = nodes_.find(name); known != nodes_.end()) return known->second;
  if (depth > kDeepest)
    throw InputError("/policy/parents/" + name,
                     "stands above itself, or is more than 32 levels deep",
                     "cohorts form a tree; the topmost have no parent");
  QuotaTree::Node node;
  node.name = name;
  if (const auto parent = options_.parents.find(name); parent != options_.parents.end())
    node.parent = add(parent->second, depth + 1);
  node.guaranteed = value_or(guaranteed_, name, 0);
  node.weight = value_or(options_.weights, name, 1);
  if (const auto at = options_.lending.find(name); at != options_.lending.end())
    node.lending_limit = at->second * kMilli;
  if (const auto at = options_.caps.find(name); at != options_.caps.end())
    node.limit = at->second * kMilli;
  if (!options_.borrowing) node.limit = std::min(node.limit, node.guaranteed);
  return nodes_[name] = tree_.add(node);
}

void Quota::begin(const View& view) {
  std::int64_t fleet = 0;
  for (const Fleet::Pool& pool : view.fleet.pools) fleet += pool.gpus * kMilli;
  build(fleet);
  node_of_.assign(view.jobs.names().size(), QuotaTree::kRoot);
  for (std::uint32_t i = 0; i < view.jobs.size(); ++i) {
    const NameId queue = view.jobs.queue(JobId{i});
    if (node_of_[queue] == QuotaTree::kRoot)
      node_of_[queue] = add(std::string{view.jobs.names()[queue]}, 0);
  }
}

bool Quota::within_guarantee(NameId queue, std::int64_t milli) const {
  const std::size_t n = node(queue);
  return tree_.used(n) + milli <= tree_.node(n).guaranteed;
}

bool Quota::anyone_borrows() const {
  for (const auto& [name, n] : nodes_)
    if (tree_.borrows(n)) return true;
  return false;
}

bool Quota::fair_against(NameId queue, std::int64_t milli, NameId other) const {
  const std::size_t a = node(queue);
  const std::size_t b = node(other);
  return tree_.share_at_most(a, tree_.used(a) + milli, b, tree_.used(b));
}

std::optional<std::string> Quota::never(const View& view, NameId queue, const Demand& d) const {
  const std::int64_t most = tree_.most(node(queue));
  if (d.total_milli() <= most) return std::nullopt;
  return "needs " + describe(d) + ", queue " + std::string{view.jobs.names()[queue]} + " may use " +
         to_decimal(most, 3);
}

std::string Quota::text(const View& view, NameId queue, std::int64_t milli) const {
  const std::size_t n = node(queue);
  const QuotaTree::Node& q = tree_.node(n);
  const std::int64_t used = tree_.used(n);
  std::string text = "queue " + std::string{view.jobs.names()[queue]} + " uses " + gpus_text(used);
  const std::size_t bound = tree_.bound(n, milli).node;
  if (bound == n) return text + " and may use " + to_decimal(q.limit, 3);
  if (bound != QuotaTree::kRoot) {
    const QuotaTree::Node& above = tree_.node(bound);
    return text + ", and those under " + above.name + " use " + gpus_text(tree_.used(bound)) +
           " of the " + to_decimal(above.limit, 3) + " that they may use together";
  }
  text += ": its guarantee of " + to_decimal(q.guaranteed, 3);
  if (used > q.guaranteed) text += " and " + to_decimal(used - q.guaranteed, 3) + " borrowed";
  const std::int64_t left = std::max<std::int64_t>(0, tree_.available(n));
  return text + "; " + (left == 0 ? "nothing more" : "only " + gpus_text(left) + " more") +
         " is its own or lent to it, though " +
         gpus_text(std::int64_t{view.cluster.free_gpus(~PoolMask{0})} * kMilli) + " are free";
}

std::string Quota::remedy(const View& view, NameId queue, std::int64_t milli) const {
  const std::size_t n = node(queue);
  const auto [bound, too_few] = tree_.bound(n, milli);
  const std::string name{view.jobs.names()[queue]};
  const std::string jobs = " with at least " + gpus_text(too_few);
  const auto allowed = [more = too_few](std::int64_t limit) {
    return " must end, or it be allowed " + gpus_text(limit + more);
  };
  if (bound == n) return "jobs of queue " + name + jobs + allowed(tree_.node(n).limit);
  if (bound != QuotaTree::kRoot) {
    const QuotaTree::Node& above = tree_.node(bound);
    return "jobs under " + above.name + jobs + allowed(above.limit);
  }
  return "at least " + to_decimal(too_few, 3) + " borrowed GPU" + (too_few == kMilli ? "" : "s") +
         " must come back, or the guarantee of queue " + name + " be raised by as much";
}

}  // namespace muster
