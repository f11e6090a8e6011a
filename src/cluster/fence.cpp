// Nodes out of service: what nobody holds of them stands behind a fence, where no placer looks.

#include <algorithm>

#include "muster/cluster/cluster.hpp"
#include "muster/core/check.hpp"

namespace muster {
namespace {

using Shares = std::map<std::uint64_t, std::uint32_t>;

/// Moves the partly taken GPUs of a node; returns the thousandths that are free on them.
std::int64_t move_shares(Shares& from, Shares& to, NodeId n) {
  std::int64_t milli = 0;
  const auto first = from.lower_bound(std::uint64_t{n.value} * 64);
  auto last = first;
  for (; last != from.end() && last->first / 64 == n.value; ++last) milli += last->second;
  to.insert(first, last);
  from.erase(first, last);
  return milli;
}

}  // namespace

void Cluster::show_share(const Share& s) {
  if (fenced(NodeId{s.node})) return;
  Pool& p = pools_[fleet_->nodes[NodeId{s.node}].pool];
  p.shares.insert(s);
  p.shared_milli += s.left;
}

void Cluster::hide_share(const Share& s) {
  if (fenced(NodeId{s.node})) return;
  Pool& p = pools_[fleet_->nodes[NodeId{s.node}].pool];
  p.shares.erase(s);
  p.shared_milli -= s.left;
}

std::int64_t Cluster::fence(NodeId n) {
  if (fenced(n)) return 0;
  if (fenced_.empty()) {
    fenced_.assign(free_.size(), 0);
    behind_.assign(free_.size(), 0);
  }
  const GpuMask idle = free_[n];
  set_idle(n.value, 0);
  const std::uint64_t key = std::uint64_t{n.value} * 64;
  for (auto it = share_left_.lower_bound(key); it != share_left_.end() && it->first < key + 64;
       ++it)
    hide_share({it->second, n.value, static_cast<std::uint32_t>(it->first % 64)});
  fenced_[n] = 1;
  behind_[n] = idle;
  const std::int64_t each = pools_[fleet_->nodes[n].pool].milli;
  return count(idle) * each + move_shares(share_left_, behind_left_, n);
}

std::int64_t Cluster::unfence(NodeId n) {
  if (!fenced(n)) return 0;
  fenced_[n] = 0;
  set_idle(n.value, behind_[n]);
  const std::int64_t milli = move_shares(behind_left_, share_left_, n);
  const std::uint64_t key = std::uint64_t{n.value} * 64;
  for (auto it = share_left_.lower_bound(key); it != share_left_.end() && it->first < key + 64;
       ++it)
    show_share({it->second, n.value, static_cast<std::uint32_t>(it->first % 64)});
  return std::int64_t{count(behind_[n])} * pools_[fleet_->nodes[n].pool].milli + milli;
}

}  // namespace muster
