#include "core.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::elastic {

const Demand& Core::least(const View& view, const Claim& c) {
  const Demand& d = view.demands[view.jobs.shape(c.job)];
  return view.jobs.sizes(c.job).elastic() ? demands_.of(view, c.job, rule_->least(view, c.job)) : d;
}

Cause Core::cause_of(const View& view, const Claim& c) {
  const Demand& d = least(view, c);
  const Fit f = fit(view.cluster, d);
  if (f != Fit::yes) return cause_of_misfit(f);
  return room_.capped(c, d.gpus) ? Cause::quota : Cause::order;
}

/// Jobs of one shape may differ in their least sizes: the first of them that waits speaks for all.
void Core::explain_shapes(const View& view, Plan& plan) {
  for (const auto& [shape, waiting] : waiting_of_)
    if (!waiting.empty()) {
      const JobId first = waiting.begin()->second;
      plan.explain(shape, cause_of(view, claim_of(view, first, members_[first])));
    }
}

Explanation Core::explain(const View& view, JobId j) {
  const Claim me = claim_of(view, j, {});
  const Demand& d = least(view, me);
  Explanation e;
  e.cause = cause_of(view, me);
  e.text = misfit_text(view, d, fit(view.cluster, d));
  if (e.cause == Cause::quota)
    e.text += ", but queue " + std::string{view.jobs.names()[me.queue]} + " may use " +
              std::to_string(room_.cap(me.queue)) + " in all";
  const std::uint64_t ahead = waiting_.before(key(view, j));
  std::uint64_t above = 0;
  elastic_.each([&](const Key& k) {
    const std::uint32_t least = view.jobs.sizes(k.second).least;
    const std::uint32_t held = gpus_in(view.placements.of(k.second));
    if (held > least) above += held - least;
    return true;
  });
  e.text += "; elastic jobs hold " + count_text(above, "GPU") + " above their least sizes";
  if (ahead > 0) e.text += "; " + count_text(ahead, "waiting job") + " ahead of it";
  e.remedy = relief_text(view, d);
  return e;
}

}  // namespace muster::elastic
