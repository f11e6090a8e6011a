#include "muster/policy/parts/quota_tree.hpp"

#include <algorithm>

#include "muster/core/check.hpp"
#include "muster/core/int128.hpp"

namespace muster {

QuotaTree::QuotaTree(std::int64_t pool) {
  nodes_.push_back({});
  raise_totals(kRoot, pool);
}

std::size_t QuotaTree::add(const Node& node) {
  MUSTER_CHECK(node.parent < nodes_.size() && node.weight > 0);
  nodes_.push_back({node, 0, 0, 0});
  raise_totals(nodes_.size() - 1, node.guaranteed);
  return nodes_.size() - 1;
}

/// What a node has in all, it keeps up to what it may not lend, and passes the rest up.
void QuotaTree::raise_totals(std::size_t n, std::int64_t amount) {
  for (;; n = nodes_[n].node.parent) {
    State& s = nodes_[n];
    const std::int64_t lent_before = s.total - s.kept;
    s.total += amount;
    s.kept = n == kRoot ? 0 : std::max<std::int64_t>(0, s.total - s.node.lending_limit);
    amount = s.total - s.kept - lent_before;
    if (n == kRoot || amount == 0) return;
  }
}

void QuotaTree::charge(std::size_t n, std::int64_t amount) {
  for (;; n = nodes_[n].node.parent) {
    State& s = nodes_[n];
    const std::int64_t from_above = std::max<std::int64_t>(0, s.used - s.kept);
    s.used += amount;
    amount = std::max<std::int64_t>(0, s.used - s.kept) - from_above;
    if (n == kRoot || amount == 0) return;
  }
}

void QuotaTree::release(std::size_t n, std::int64_t amount) { charge(n, -amount); }

std::int64_t QuotaTree::available(std::size_t n) const {
  const State& s = nodes_[n];
  if (n == kRoot) return s.total - s.used;
  const std::int64_t kept = std::max<std::int64_t>(0, s.kept - s.used);
  const std::int64_t in_all = kept + std::max<std::int64_t>(0, available(s.node.parent));
  return s.node.limit == kUnlimited ? in_all : std::min(in_all, s.node.limit - s.used);
}

QuotaTree::Bound QuotaTree::bound(std::size_t n, std::int64_t amount) const {
  for (; n != kRoot; n = nodes_[n].node.parent) {
    const State& s = nodes_[n];
    if (s.node.limit != kUnlimited && amount > s.node.limit - s.used)
      return {n, amount - (s.node.limit - s.used)};
    amount -= std::max<std::int64_t>(0, s.kept - s.used);
  }
  return {kRoot, amount - available(kRoot)};
}

bool QuotaTree::within(std::size_t n) const {
  for (; n != kRoot; n = nodes_[n].node.parent) {
    const State& s = nodes_[n];
    if (s.used > s.node.limit) return false;
    if (s.used <= s.kept) return true;
  }
  return nodes_[kRoot].used <= nodes_[kRoot].total;
}

std::int64_t QuotaTree::most(std::size_t n) const {
  const State& s = nodes_[n];
  if (n == kRoot) return s.total;
  return std::min(s.node.limit, s.kept + most(s.node.parent));
}

bool QuotaTree::share_at_most(std::size_t a, std::int64_t amount_a, std::size_t b,
                              std::int64_t amount_b) const {
  return Int128{amount_a} * nodes_[b].node.weight <= Int128{amount_b} * nodes_[a].node.weight;
}

}  // namespace muster
