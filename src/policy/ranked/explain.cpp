#include "core.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::ranked {

Explanation Core::explain(const View& view, JobId job) {
  const Roster::Entry& me = roster_.of(job);
  const Demand& d = demand(view, job);
  std::int64_t ahead = 0, better = 0, worse = 0, guarded = 0, leaving = 0;
  const Roster::Entry* first = nullptr;
  roster_.each([&](const Roster::Entry& e) {
    if (e.state == Roster::State::waiting && e.rung < me.rung) {
      ++ahead;
      if (!first || e.rung < first->rung) first = &e;
    }
    if (e.state == Roster::State::guarded) guarded += e.milli;
    if (e.state == Roster::State::leaving) leaving += e.milli;
    if (e.state == Roster::State::running) better += e.milli;
  });
  worse = ladder_.milli_below(me.rung, view.now);
  better -= worse;
  Explanation e;
  const Fit f = fit(view.cluster, d);
  e.cause = cause_of_misfit(f);
  e.text = misfit_text(view, d, f);
  e.text += "; rank " + params_.rank + ": " + rank_->words(Roster::standing(me, view), view.now) +
            "; " + gpus_text(better) + " held by jobs that rank no lower, " + gpus_text(worse) +
            " by jobs that rank lower";
  const bool kept = kept_by_delay(view, job, f);
  if (worse > 0 && !kept) e.text += " and would not be enough";
  if (guarded > 0) e.text += ", " + gpus_text(guarded) + " by jobs whose quantum is not over";
  if (leaving > 0) e.text += ", " + gpus_text(leaving) + " by jobs told to go";
  if (first)
    e.text += "; " + count_text(static_cast<std::uint64_t>(ahead), "waiting job") +
              (ahead == 1 ? " goes" : " go") + " before it, the first is " +
              std::string{view.jobs.id_text(first->job)} + " (" +
              rank_->words(Roster::standing(*first, view), view.now) + ")";
  e.remedy = relief_text(view, d);
  if (kept) {
    const auto [level, until] = stance(view, job);
    const std::string inside = std::string{name(level)};
    e.cause = Cause::topology;
    e.text += "; it waits for a " + inside + " until " + at_text(until) + " (delay_" + inside +
              "), and nobody is evicted for it until then";
    e.remedy = "a " + inside + " with room for it, or a shorter delay_" + inside;
  }
  return e;
}

}  // namespace muster::ranked
