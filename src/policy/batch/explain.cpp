#include <algorithm>

#include "core.hpp"
#include "muster/core/int128.hpp"

namespace muster::batch {
namespace {

std::string at_text(SimTime t) { return to_decimal(t.time_since_epoch().count(), 9) + " s"; }

std::string count_text(std::uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

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
    const std::uint32_t here = !nodes            ? c.domain_free(d.required, i, d.pools)
                               : d.per_node == 0 ? c.domain_idle(d.required, i, d.pools)
                                                 : c.domain_at_least(d.required, i, d.per_node, d.pools);
    if (here > most) {
      best = i;
      most = here;
    }
  }
  return "the best, " + c.fleet().domain_name(d.required, best) + ", has " +
         count_text(most, nodes ? (d.per_node == 0 ? "whole node" : "such node") : "free GPU");
}

std::string misfit_text(const View& view, const Demand& d, Fit f) {
  const Cluster& c = view.cluster;
  const std::string needs = "needs " + describe(d);
  const FreeNodes nodes = free_nodes(c, d.pools);
  const std::string free = count_text(c.free_gpus(d.pools), "GPU") + (c.free_gpus(d.pools) == 1 ? " is" : " are") + " free";
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
             std::to_string(c.free_gpus(~d.pools));
    }
    case Fit::fragmented:
      return needs + "; " + free + ", but on " + count_text(nodes.whole, "whole node") + " and " +
             count_text(nodes.partly, "partly used node") + " (at most " + std::to_string(nodes.widest) +
             " on one node)";
    case Fit::apart:
      return needs + "; " + best_domain(c, d) + ", the fleet has " + count_text(nodes.whole, "whole node") +
             " and " + count_text(nodes.partly, "partly used node") + " in all (" + free + ")";
    case Fit::yes: break;
  }
  return needs + ", and that is free";
}

/// When running jobs' predicted ends make room for `d`, and which of them it takes.
std::string relief(const View& view, const Demand& d) {
  Cluster future = view.cluster;
  std::vector<JobId> ends;
  SimTime at = kNever;
  view.running.each_by_end(view.now, view.by_event, [&](const RunningJob& r, SimTime end) {
    future.give_back(view.placements.of(r.job), view.demands[view.jobs.shape(r.job)].milli);
    ends.push_back(r.job);
    if (!fits(future, d)) return true;
    at = end;
    return false;
  });
  if (at == kNever) return "no end of a running job makes room for it";
  std::string text = "by the estimates there is room at " + at_text(at) + ", when ";
  const std::size_t shown = std::min<std::size_t>(ends.size(), 3);
  for (std::size_t i = ends.size() - shown; i < ends.size(); ++i)
    text += (i == ends.size() - shown ? "" : ", ") + std::string{view.jobs.id_text(ends[i])};
  text += shown < ends.size() ? " (and " + count_text(ends.size() - shown, "job") + " before) have ended" : ends.size() == 1 ? " ends" : " have ended";
  return text;
}

}  // namespace

Explanation explain(const View& view, Core& core, const Backfill& backfill, JobId job) {
  const Demand& d = core.demand(view, job);
  Explanation e;
  e.promised = backfill.promised(job);
  const Fit f = fit(view.cluster, d);
  e.cause = Core::cause_of_misfit(f);
  const JobId head = core.head(view);
  if (f != Fit::yes) {
    e.text = misfit_text(view, d, f);
    e.remedy = relief(view, d);
  } else if (core.capped(view, job)) {
    e.cause = Cause::quota;
    const std::string queue{view.jobs.names()[view.jobs.queue(job)]};
    e.text = "needs " + describe(d) + ", and that is free, but queue " + queue + " may use " +
             std::to_string(core.params().caps.at(queue)) + " GPUs and has no room for it";
    e.remedy = "a job of queue " + queue + " must end, or its cap be raised";
  } else if (core.params().backfill == BackfillKind::none || head == kNoJob) {
    e.text = "needs " + describe(d) + ", and that is free, but job " +
             (head == kNoJob ? std::string{"?"} : std::string{view.jobs.id_text(head)}) + " is ahead and must go first";
    if (head != kNoJob)
      e.remedy = "job " + std::string{view.jobs.id_text(head)} + " " +
                 misfit_text(view, core.demand(view, head), fit(view.cluster, core.demand(view, head))) +
                 "; a backfill policy would let this job pass";
  } else {
    e.cause = Cause::reservation;
    const SimTime end = later(view.now, view.jobs.planned(job));
    e.text = "needs " + describe(d) + ", and that is free, but by its estimate it would run until " +
             (end == kNever ? std::string{"no known time"} : at_text(end));
    if (const SimTime at = backfill.promised(head); head != job && at != kNever) {
      e.text += " and delay job " + std::string{view.jobs.id_text(head)} + ", which is promised to start by " + at_text(at);
      e.remedy = "an estimate of at most " + to_decimal((at - view.now).count(), 9) +
                 " s would let it start now; job " + std::string{view.jobs.id_text(head)} + " " +
                 misfit_text(view, core.demand(view, head), fit(view.cluster, core.demand(view, head)));
    } else {
      e.text += " and delay a job ahead of it";
    }
  }
  if (e.promised != kNever) e.text += "; it is promised to start by " + at_text(e.promised);
  return e;
}

}  // namespace muster::batch
