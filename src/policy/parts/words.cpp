#include "muster/policy/parts/words.hpp"

#include <algorithm>

#include "muster/core/int128.hpp"
#include "muster/policy/parts/never_fits.hpp"

namespace muster {

Cause cause_of_misfit(Fit f) {
  switch (f) {
    case Fit::too_few:
      return Cause::capacity;
    case Fit::wrong_type:
      return Cause::gpu_type;
    case Fit::fragmented:
      return Cause::fragmentation;
    case Fit::apart:
      return Cause::topology;
    case Fit::yes:
      break;
  }
  return Cause::order;
}

std::string at_text(SimTime t) { return to_decimal(t.time_since_epoch().count(), 9) + " s"; }

std::string count_text(std::uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string gpus_text(std::int64_t milli) {
  return to_decimal(milli, 3) + (milli == 1000 ? " GPU" : " GPUs");
}

namespace {

struct FreeNodes {
  std::uint32_t whole = 0;   // all GPUs free
  std::uint32_t partly = 0;  // some
  std::uint32_t widest = 0;  // most free GPUs on one node
};

FreeNodes free_nodes(const Cluster& c, PoolMask pools) {
  FreeNodes n;
  n.whole = c.idle_nodes(pools);
  n.partly = c.at_least(1, pools) - n.whole;
  for (std::size_t p = 0; p < c.pools(); ++p) {
    if (!((pools >> p) & 1)) continue;
    for (std::uint32_t k = c.index(p).widest(); k > n.widest; --k)
      if (c.index(p).group(k).size() > 0) n.widest = k;
  }
  return n;
}

/// The domain of the required level with most of what is needed.
std::string best_domain(const Cluster& c, const Demand& d) {
  const auto level = static_cast<std::size_t>(d.required);
  const bool nodes = d.nodes > 0;
  std::uint32_t best = 0;
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < c.fleet().domains[level].size(); ++i) {
    const std::uint32_t here = !nodes ? c.domain_free(d.required, i, d.pools)
                               : d.per_node == 0
                                   ? c.domain_idle(d.required, i, d.pools)
                                   : c.domain_at_least(d.required, i, d.per_node, d.pools);
    if (here > most) {
      best = i;
      most = here;
    }
  }
  return "the best, " + c.fleet().domain_name(d.required, best) + ", has " +
         count_text(most, nodes ? (d.per_node == 0 ? "whole node" : "such node") : "free GPU");
}

}  // namespace

std::string misfit_text(const View& view, const Demand& d, Fit f) {
  const Cluster& c = view.cluster;
  if (d.mig != 0 && f != Fit::yes) return mig_misfit_text(c, d);
  const std::string needs = "needs " + describe(d);
  const FreeNodes nodes = free_nodes(c, d.pools);
  const std::string free = count_text(c.free_gpus(d.pools), "GPU") +
                           (c.free_gpus(d.pools) == 1 ? " is" : " are") + " free";
  switch (f) {
    case Fit::too_few:
      if (d.nodes > 0 && d.widest == 1)
        return needs + ", " + std::to_string(c.free_gpus(d.pools)) + " free";
      return needs + "; " + free;
    case Fit::wrong_type: {
      std::string types;
      for (std::size_t p = 0; p < c.pools(); ++p)
        if ((d.pools >> p) & 1) types += (types.empty() ? "" : ", ") + view.fleet.pools[p].gpu_type;
      return needs + " of type " + types + "; of that type " + free + ", of other types " +
             std::to_string(c.free_gpus(~d.pools & c.whole_pools()));
    }
    case Fit::fragmented:
      return needs + "; " + free + ", but on " + count_text(nodes.whole, "whole node") + " and " +
             count_text(nodes.partly, "partly used node") + " (at most " +
             std::to_string(nodes.widest) + " on one node)";
    case Fit::apart:
      return needs + "; " + best_domain(c, d) + ", the fleet has " +
             count_text(nodes.whole, "whole node") + " and " +
             count_text(nodes.partly, "partly used node") + " in all (" + free + ")";
    case Fit::yes:
      break;
  }
  return needs + ", and that is free";
}

/// When running jobs' predicted ends make room for `d`, and which of them it takes.
std::string relief_text(const View& view, const Demand& d) {
  Cluster future = view.cluster;
  std::vector<JobId> ends;
  SimTime at = kNever;
  bool late = false;  // the last one runs longer than its estimate said: nobody knows when it ends
  view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
    future.give_back(view.placements.of(r.job), view.demands[view.jobs.shape(r.job)].milli);
    ends.push_back(r.job);
    if (!fits(future, d)) return true;
    at = end;
    late = r.end <= view.now;
    return false;
  });
  if (at == kNever) return "no end of a running job makes room for it";
  std::string text =
      late ? "there is room when " : "by the estimates there is room at " + at_text(at) + ", when ";
  const std::size_t shown = std::min<std::size_t>(ends.size(), 3);
  for (std::size_t i = ends.size() - shown; i < ends.size(); ++i)
    text += (i == ends.size() - shown ? "" : ", ") + std::string{view.jobs.id_text(ends[i])};
  text += shown < ends.size()
              ? " (and " + count_text(ends.size() - shown, "job") + " before) have ended"
          : ends.size() == 1 ? " ends"
                             : " have ended";
  if (late) text += ", and that may be at any moment: more time has passed than was estimated";
  return text;
}

namespace {

std::uint32_t most_in_one_domain(const Cluster& empty, const Demand& d, bool nodes) {
  std::uint32_t most = 0;
  if (d.required == Level::node) {  // a node is its own domain
    for (std::uint32_t n = 0; n < empty.fleet().nodes.size(); ++n)
      if ((d.pools >> empty.fleet().nodes[NodeId{n}].pool & 1) != 0)
        most = std::max(most, nodes ? 1 : empty.fleet().gpus_of(NodeId{n}));
    return most;
  }
  const auto level = static_cast<std::size_t>(d.required);
  for (std::uint32_t i = 0; i < empty.fleet().domains[level].size(); ++i)
    most = std::max(most, nodes ? empty.domain_at_least(d.required, i,
                                                        d.per_node == 0 ? 1 : d.per_node, d.pools)
                                : empty.domain_free(d.required, i, d.pools));
  return most;
}

}  // namespace

std::optional<Rejection> never_fits(const View& view, const Cluster& empty, JobId j) {
  return never_fits(view, empty, j, view.demands[view.jobs.shape(j)]);
}

std::optional<Rejection> never_fits(const View& view, const Cluster& empty, JobId j,
                                    const Demand& d) {
  const Fit f = d.pools == 0 ? Fit::wrong_type : fit(empty, d);
  if (f == Fit::yes) return std::nullopt;
  const std::string who = "job " + std::string{view.jobs.id_text(j)} + " needs " + describe(d);
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  if (d.mig != 0) return Rejection{j, "no_such_mig_instance", who + mig_never_text(empty, d)};
  if (d.pools == 0)
    return Rejection{j, "no_such_gpu_type",
                     who + (empty.whole_pools() == 0 ? ", and all GPUs of the fleet are in MIG mode"
                                                     : " of a type that the fleet does not have")};
  switch (f) {
    case Fit::yes:
      return std::nullopt;
    case Fit::too_few:
      return Rejection{j, "exceeds_fleet",
                       who + ", the whole fleet has " + number(view.fleet.gpus) + " GPUs"};
    case Fit::wrong_type:
      return Rejection{j, "exceeds_gpu_type",
                       who + ", the fleet has " + number(empty.free_gpus(d.pools)) +
                           " GPUs of the types allowed"};
    case Fit::fragmented:
      return Rejection{j, "exceeds_nodes",
                       who + ", the fleet has " +
                           number(empty.at_least(d.per_node ? d.per_node : 1, d.pools)) +
                           " such nodes, the widest of " + number(d.widest) + " GPUs"};
    case Fit::apart: {
      const bool nodes = d.nodes > 0;
      const std::string most = number(most_in_one_domain(empty, d, nodes));
      const std::string level =
          d.required == Level::leaf ? "leaf (rack)" : std::string{name(d.required)};
      return Rejection{
          j, d.required == Level::fabric ? "exceeds_largest_fabric" : "exceeds_largest_domain",
          who + ", the largest " + level + " has " + most + (nodes ? " nodes" : " GPUs")};
    }
  }
  return std::nullopt;
}

}  // namespace muster
