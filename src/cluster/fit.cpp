#include "muster/cluster/fit.hpp"

#include <algorithm>

#include "cluster/fit_counts.hpp"

namespace muster {
namespace {

/// The counts of the whole fleet, or of one domain, behind the same three questions.
struct FleetScope {
  const Cluster& c;
  PoolMask pools;
  std::uint32_t free() const { return c.free_gpus(pools); }
  std::uint32_t idle() const { return c.idle_nodes(pools); }
  std::uint32_t at_least(std::uint32_t k) const { return c.at_least(k, pools); }
};
struct DomainScope {
  const Cluster& c;
  PoolMask pools;
  Level level;
  std::uint32_t domain;
  std::uint32_t free() const { return c.domain_free(level, domain, pools); }
  std::uint32_t idle() const { return c.domain_idle(level, domain, pools); }
  std::uint32_t at_least(std::uint32_t k) const {
    return c.domain_at_least(level, domain, k, pools);
  }
};

bool fits_share(const Cluster& c, const Demand& d) {
  if (d.mig != 0) return c.creatable(d.mig, d.pools);
  for (std::size_t p = 0; p < c.pools(); ++p)
    if (((d.pools >> p) & 1) && c.shares(p).lower_bound({d.milli, 0, 0}) != c.shares(p).end())
      return true;
  return c.free_gpus(d.pools) > 0;
}

/// Depth first over tasks, largest first; among nodes with equal room only one is tried.
class TaskSearch {
 public:
  TaskSearch(const std::vector<std::uint32_t>& tasks,
             std::vector<std::pair<std::uint32_t, NodeId>> room)
      : tasks_(tasks), room_(std::move(room)), chosen_(tasks.size()) {}

  bool place(std::size_t task) {
    if (task == tasks_.size()) return true;
    if (++steps_ > kMostSteps) return false;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < room_.size(); ++i)
      if (room_[i].first >= tasks_[task]) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return room_[a] < room_[b]; });
    std::uint32_t tried = 0;
    for (const std::size_t i : order) {
      if (room_[i].first == tried) continue;
      tried = room_[i].first;
      room_[i].first -= tasks_[task];
      chosen_[task] = room_[i].second;
      if (place(task + 1)) return true;
      room_[i].first += tasks_[task];
    }
    return false;
  }
  const std::vector<NodeId>& chosen() const { return chosen_; }

 private:
  // Beyond this the answer is "not now": a bound on the work, reached only by contrived gangs.
  static constexpr std::size_t kMostSteps = 100'000;
  const std::vector<std::uint32_t>& tasks_;
  std::vector<std::pair<std::uint32_t, NodeId>> room_;  // free GPUs, node
  std::vector<NodeId> chosen_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<std::vector<NodeId>> assign_tasks(const Cluster& cluster, const Demand& d,
                                                NodeRange range) {
  std::vector<std::pair<std::uint32_t, NodeId>> room;
  for (std::uint32_t n = range.first; n < range.last; ++n)
    if (((d.pools >> cluster.fleet().nodes[NodeId{n}].pool) & 1) && cluster.free(NodeId{n}) != 0)
      room.emplace_back(count(cluster.free(NodeId{n})), NodeId{n});
  TaskSearch search(d.tasks, std::move(room));
  if (!search.place(0)) return std::nullopt;
  return search.chosen();
}

bool fits_domain(const Cluster& cluster, const Demand& d, Level level, std::uint32_t domain) {
  if (!fits_counts(DomainScope{cluster, d.pools, level, domain}, d)) return false;
  return d.tasks.empty() ||
         assign_tasks(cluster, d, cluster.fleet().domains[static_cast<std::size_t>(level)][domain])
             .has_value();
}

namespace {

Fit fit_share(const Cluster& cluster, const Demand& d) {
  if (fits_share(cluster, d)) return Fit::yes;
  std::int64_t left = 0;
  std::int64_t elsewhere = 0;
  for (std::size_t p = 0; p < cluster.pools(); ++p)
    ((d.pools >> p) & 1 ? left : elsewhere) += cluster.free_milli(p);
  if (left >= d.total_milli()) return Fit::fragmented;
  return elsewhere >= d.total_milli() ? Fit::wrong_type : Fit::too_few;
}

/// Where there are GPUs enough.
Fit fit_on_nodes(const Cluster& cluster, const Demand& d) {
  const FleetScope scope{cluster, d.pools};
  if (!fits_counts(scope, d)) return Fit::fragmented;
  const NodeRange all{0, static_cast<std::uint32_t>(cluster.fleet().nodes.size())};
  if (d.required == Level::fleet || d.required == Level::node) {
    if (!d.tasks.empty() && !assign_tasks(cluster, d, all)) return Fit::fragmented;
    if (d.required == Level::node && (d.nodes > 1 || scope.at_least(d.gpus) == 0))
      return Fit::apart;
    return Fit::yes;
  }
  const auto level = static_cast<std::size_t>(d.required);
  for (std::uint32_t domain = 0; domain < cluster.fleet().domains[level].size(); ++domain)
    if (fits_domain(cluster, d, d.required, domain)) return Fit::yes;
  return Fit::apart;
}

}  // namespace

Fit fit(const Cluster& cluster, const Demand& d) {
  if (d.milli < 1000) return fit_share(cluster, d);
  if (cluster.free_gpus(d.pools) < d.least || d.pools == 0)
    return cluster.free_gpus(cluster.whole_pools()) < d.least ? Fit::too_few : Fit::wrong_type;
  return d.by_count ? Fit::yes : fit_on_nodes(cluster, d);
}

}  // namespace muster
