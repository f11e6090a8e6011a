#pragma once
#include "muster/cluster/demand.hpp"

namespace muster {

/// Whether `d` fits as far as counts tell. A scope says how many GPUs and idle nodes are free, and how
/// many nodes have at least `k` GPUs free: in the whole fleet, in one domain, or as it would be.
template <class Scope>
bool fits_counts(const Scope& scope, const Demand& d) {
  if (scope.free() < d.least) return false;
  if (d.by_count) return true;
  if (d.nodes > 0) return (d.per_node == 0 ? scope.idle() : scope.at_least(d.per_node)) >= d.nodes;
  if (d.span == Span::any) return true;
  if (d.gpus <= d.widest) return scope.at_least(d.gpus) >= 1;
  const std::uint32_t whole = d.gpus / d.widest;
  const std::uint32_t rest = d.gpus % d.widest;
  if (scope.at_least(d.widest) < whole) return false;
  if (rest == 0) return true;
  return scope.at_least(d.span == Span::idle_nodes ? d.widest : rest) > whole;
}

}  // namespace muster
