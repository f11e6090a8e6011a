// Jobs that are tied to advance reservations: they run inside them, and nowhere else.

#include "core.hpp"
#include "muster/core/int128.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::batch {
namespace {

bool open_now(const View& view, const Window* w) {
  return w != nullptr && w->from <= view.now && view.now < w->to;
}

}  // namespace

void Core::start_tied(const View& view, Plan& plan) {
  if (tied_.empty()) return;
  std::set<ShapeId> said;
  for (auto it = tied_.begin(); it != tied_.end();) {
    const JobId j = it->job;
    const Window* w =
        view.calendar ? view.calendar->reservation(view.jobs.reservation(j)) : nullptr;
    const SimTime end = later(view.now, view.jobs.planned(j));
    Cause cause = Cause::reservation;
    if (open_now(view, w) && end <= w->to) {
      const Demand& d = demand(view, j);
      const Cluster& inside = rooms_.inside(view, *w, end);
      if (capped(view, j)) {
        cause = Cause::quota;
      } else if (placer_->place(inside, d, slices_)) {
        it = tied_.erase(it);
        run(view, plan, j, slices_);
        continue;
      } else {
        cause = cause_of_misfit(fit(inside, d));
      }
    }
    if (said.insert(view.jobs.shape(j)).second) plan.explain(view.jobs.shape(j), cause);
    ++it;
  }
}

Explanation Core::explain_tied(const View& view, JobId j) {
  const Demand& d = demand(view, j);
  const Window* w = view.calendar ? view.calendar->reservation(view.jobs.reservation(j)) : nullptr;
  Explanation e;
  e.cause = Cause::reservation;
  const std::string name{view.jobs.names()[view.jobs.reservation(j)]};
  e.text = "needs " + describe(d) + " in reservation " + name;
  const SimTime end = later(view.now, view.jobs.planned(j));
  if (w == nullptr) {
    e.text += ", which is not confirmed yet";
  } else if (w->from > view.now) {
    e.text += ", which begins at " + at_text(w->from);
  } else if (end > w->to) {
    e.text += ", which ends at " + at_text(w->to) + ", and by its estimate it would run until " +
              (end == kNever ? std::string{"no known time"} : at_text(end));
    e.remedy = "an estimate of at most " + to_decimal((w->to - view.now).count(), 9) +
               " s would let it start now";
  } else {
    const Cluster& inside = rooms_.inside(view, *w, end);
    const Fit f = fit(inside, d);
    e.cause = f == Fit::yes ? Cause::quota : cause_of_misfit(f);
    e.text += ", which has " + count_text(inside.free_gpus(d.pools), "free GPU") + " on " +
              count_text(w->nodes.size(), "node");
  }
  return e;
}

}  // namespace muster::batch
