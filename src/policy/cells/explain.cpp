#include "core.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::cells {

/// What stands in the way of the jobs of `shape` that wait in one queue.
Cause Core::cause_of(const View& view, std::size_t tenant, ShapeId shape) {
  const Fit f = fit(view.cluster, view.demands[shape]);
  if (f != Fit::yes) return cause_of_misfit(f);
  // It would fit in the fleet: its own cells are full or out of service, or somebody goes first.
  if (tenant == kOpportunistic) return Cause::reservation;
  if (tenants_[tenant].cluster.lame()) return Cause::outage;
  return queue(tenant).line(shape).dead_in_pass == pass_ ? Cause::quota : Cause::order;
}

/// Jobs of one shape are of one queue; those of low qos speak last.
void Core::explain_shapes(const View& view, Plan& plan) {
  for (std::size_t t = 0; t < tenants_.size(); ++t)
    for (const ShapeId s : tenants_[t].waiting.shapes())
      tenants_[t].waiting.line(s).say(plan, s, cause_of(view, t, s));
  for (const ShapeId s : others_.shapes())
    others_.line(s).say(plan, s, cause_of(view, kOpportunistic, s));
}

Explanation Core::explain(const View& view, JobId j) {
  const Member& m = members_.at(j);
  const Demand& d = demand(view, j);
  Explanation e;
  e.cause = cause_of(view, m.tenant, view.jobs.shape(j));
  e.text = misfit_text(view, d, fit(view.cluster, d));
  if (m.tenant == kOpportunistic) {
    e.text += "; it has no cells of its own, so it runs on what is free and makes room";
    e.remedy = relief_text(view, d);
    return e;
  }
  const VirtualCluster& own = tenants_[m.tenant].cluster;
  if (m.state == Member::State::granted) {
    e.text +=
        "; GPUs of its virtual cluster are granted to it, and those on them have been told to go";
    e.remedy = "the end of their grace time";
    return e;
  }
  const std::string who =
      own.name().empty() ? "the virtual cluster" : "its virtual cluster " + own.name();
  const std::uint32_t free = own.cluster().free_gpus(own.cluster().whole_pools());
  e.text += "; of " + who + " with " + count_text(own.fleet().gpus, "GPU") + ", " +
            count_text(free, "GPU") + (free == 1 ? " is" : " are") + " free";
  if (own.lame()) e.text += ", and nodes for its cells are out of service";
  std::uint64_t ahead = 0;
  queue(m.tenant).all().each([&](const Waiting& w) {
    if (w.job == j) return false;
    ++ahead;
    return true;
  });
  if (ahead > 0) e.text += "; " + count_text(ahead, "waiting job") + " ahead of it there";
  e.remedy = "jobs of its own virtual cluster have to end: others' make no difference to it";
  return e;
}

}  // namespace muster::cells
