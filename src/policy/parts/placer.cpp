#include "muster/policy/parts/placer.hpp"

#include <algorithm>
#include <map>

#include "muster/cluster/mig.hpp"
#include "muster/core/check.hpp"

namespace muster {

void append_run(std::vector<Slice>& out, std::uint32_t first, std::uint32_t count, GpuMask gpus) {
  if (!out.empty()) {
    Slice& last = out.back();
    if (last.gpus == gpus && last.first.value + last.count == first) {
      last.count += count;
      return;
    }
  }
  out.push_back({NodeId{first}, count, gpus});
}

void append(std::vector<Slice>& out, std::uint32_t n, GpuMask gpus) { append_run(out, n, 1, gpus); }

bool contains(const std::vector<Slice>& slices, std::uint32_t n) {
  return std::any_of(slices.begin(), slices.end(), [n](const Slice& s) {
    return n >= s.first.value && n < s.first.value + s.count;
  });
}

namespace {

std::uint32_t nodes_in(const std::vector<Slice>& slices) {
  std::uint32_t n = 0;
  for (const Slice& s : slices) n += s.count;
  return n;
}

/// Slices in node order, runs joined again.
void tidy(std::vector<Slice>& out) {
  if (out.size() < 2) return;
  const auto before = [](const Slice& a, const Slice& b) { return a.first < b.first; };
  if (std::is_sorted(out.begin(), out.end(), before)) return;
  std::sort(out.begin(), out.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (out[kept].gpus == out[i].gpus &&
        out[kept].first.value + out[kept].count == out[i].first.value)
      out[kept].count += out[i].count;
    else
      out[++kept] = out[i];
  }
  out.resize(kept + 1);
}

NodeRange whole(const Fleet& fleet) { return {0, static_cast<std::uint32_t>(fleet.nodes.size())}; }

}  // namespace

bool Placer::place(const Cluster& cluster, const Demand& d, std::vector<Slice>& out) {
  out.clear();
  begin();
  if (cluster.free_gpus(d.pools) < d.least && d.milli == 1000) return false;
  if (d.milli < 1000) return place_share({cluster, d.pools, whole(cluster.fleet())}, d, out);
  // The tightest level wished for first, then wider ones, up to what is required.
  if (cluster.tracks_domains()) {
    const auto wish = static_cast<std::size_t>(preferred(d, cluster.fleet()));
    const auto required = static_cast<std::size_t>(d.required);
    for (std::size_t l = std::max<std::size_t>(1, wish); l < required; ++l)
      if (place_in_level(cluster, d, static_cast<Level>(l), out)) return true;
  }
  if (d.required < Level::fleet && d.required > Level::node)
    return place_in_level(cluster, d, d.required, out);
  return place_in({cluster, d.pools, whole(cluster.fleet())}, d, out);
}

bool Placer::place_in_level(const Cluster& cluster, const Demand& d, Level level,
                            std::vector<Slice>& out) {
  const std::vector<NodeRange>& domains = cluster.fleet().domains[static_cast<std::size_t>(level)];
  domains_.clear();
  domain_free_.clear();
  for (std::uint32_t i = 0; i < domains.size(); ++i) {
    if (!fits_domain(cluster, d, level, i)) continue;
    domains_.push_back(i);
    domain_free_.push_back(cluster.domain_free(level, i, d.pools));
  }
  if (domains_.empty()) return false;
  const std::uint32_t chosen = domains_[choose_domain(domain_free_)];
  return place_in({cluster, d.pools, domains[chosen]}, d, out);
}

bool Placer::place_in(const Scope& s, const Demand& d, std::vector<Slice>& out) {
  out.clear();
  if (!d.tasks.empty()) {
    const auto nodes = assign_tasks(s.cluster, d, s.range);
    if (!nodes) return false;
    std::map<NodeId, std::uint32_t> gpus;
    for (std::size_t i = 0; i < d.tasks.size(); ++i) gpus[(*nodes)[i]] += d.tasks[i];
    for (const auto& [n, k] : gpus) append(out, n.value, lowest(s.cluster.free(n), k));
    return true;
  }
  if (d.nodes > 0) {
    if (d.per_node > 0) {
      many(s, d.nodes, d.per_node, out);
      for (Slice& slice : out) MUSTER_CHECK(count(slice.gpus) == d.per_node);
    } else {
      many(s, d.nodes, 0, out);
    }
    if (nodes_in(out) < d.nodes) return false;
    tidy(out);
    return true;
  }
  if (d.span == Span::any && d.required != Level::node) {
    any(s, d.gpus, out);
    if (gpus_in(out) < d.gpus) return false;
    tidy(out);
    return true;
  }
  const std::uint32_t nodes = d.gpus <= d.widest ? 0 : d.gpus / d.widest;
  const std::uint32_t rest = d.gpus <= d.widest ? d.gpus : d.gpus % d.widest;
  if (nodes > 0) {
    many(s, nodes, d.widest, out);
    if (nodes_in(out) < nodes) return false;
  }
  if (rest > 0) {
    const std::uint32_t n =
        nodes > 0 && d.span == Span::most_free
            ? emptiest(s, rest, out)
            : one(s, nodes > 0 && d.span == Span::idle_nodes ? d.widest : rest, out);
    if (n == NodeSet::kNone) return false;
    append(out, n, lowest(s.cluster.free(NodeId{n}), rest));
  }
  tidy(out);
  return true;
}

std::uint32_t Placer::next_with(const Scope& s, std::uint32_t k, std::uint32_t from) {
  std::uint32_t least = NodeSet::kNone;
  for (std::size_t p = 0; p < s.cluster.pools(); ++p) {
    if (!((s.pools >> p) & 1)) continue;
    if (k == 0) {
      least = std::min(least, s.cluster.idle_set(p).next(from));
      continue;
    }
    const FreeIndex& index = s.cluster.index(p);
    for (std::uint32_t free = k; free <= index.widest(); ++free)
      if (index.group(free).size() > 0) least = std::min(least, index.group(free).next(from));
  }
  return least;
}

std::uint32_t Placer::first_with(const Scope& s, std::uint32_t free,
                                 const std::vector<Slice>& taken) {
  for (std::size_t p = 0; p < s.cluster.pools(); ++p) {
    if (!((s.pools >> p) & 1) || free > s.cluster.index(p).widest()) continue;
    const NodeSet& group = s.cluster.index(p).group(free);
    if (group.size() == 0) continue;
    std::uint32_t n = group.next(s.range.first);
    while (n < s.range.last && contains(taken, n)) n = group.next(n + 1);
    if (n < s.range.last) return n;
  }
  return NodeSet::kNone;
}

std::uint32_t Placer::emptiest(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) {
  for (std::uint32_t free = s.cluster.fleet().widest; free >= k; --free)
    if (const std::uint32_t n = first_with(s, free, taken); n != NodeSet::kNone) return n;
  return NodeSet::kNone;
}

bool Placer::place_share(const Scope& s, const Demand& d, std::vector<Slice>& out) {
  if (d.mig != 0) {
    const auto slice = place_instance(s.cluster, d);
    if (slice) out.push_back(*slice);
    return slice.has_value();
  }
  if (const Cluster::Share* found = share(s, d.milli)) {
    out.push_back({NodeId{found->node}, 1, GpuMask{1} << found->gpu});
    return true;
  }
  const std::uint32_t n = whole_for_share(s, d.milli);
  if (n == NodeSet::kNone) {
    // Placers that open whole GPUs first may still find room in a shared one.
    const Cluster::Share* found = Placer::share(s, d.milli);
    if (!found) return false;
    out.push_back({NodeId{found->node}, 1, GpuMask{1} << found->gpu});
    return true;
  }
  out.push_back({NodeId{n}, 1, lowest(s.cluster.free(NodeId{n}), 1)});
  return true;
}

const Cluster::Share* Placer::share(const Scope& s, std::uint32_t milli) {
  const Cluster::Share* best = nullptr;
  for (std::size_t p = 0; p < s.cluster.pools(); ++p) {
    if (!((s.pools >> p) & 1)) continue;
    const auto it = s.cluster.shares(p).lower_bound({milli, 0, 0});
    if (it != s.cluster.shares(p).end() && (!best || *it < *best)) best = &*it;
  }
  return best;
}

}  // namespace muster
