#include "core.hpp"
#include "muster/core/int128.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::batch {
namespace {

/// "; 3 jobs are ahead of it in the queue", and by what they are.
std::string place_text(const View& view, Core& core, JobId job, JobId head) {
  const std::string own = core.order().standing(view, job);
  const bool by_job = own.starts_with("job ");  // else it tells of a user or a queue
  if (head == kNoJob || head == job) return by_job ? "; " + own : "";
  std::string text;
  if (const std::size_t ahead = core.queue().all().before(core.queue().entry(job)); ahead > 0)
    text += ahead == 1 ? "; 1 job is ahead of it in the queue"
                       : "; " + std::to_string(ahead) + " jobs are ahead of it in the queue";
  const std::string first = core.order().standing(view, head);
  if (by_job) {
    text += "; " + own;
    constexpr std::size_t kShown = 3;
    std::size_t shown = 0;
    core.queue().all().each([&](const Waiting& w) {
      if (w.job == job || shown == kShown) return false;
      text += (shown++ == 0 ? "; ahead of it " : ", ") + core.order().standing(view, w.job);
      return true;
    });
  } else if (own != first) {
    text += "; " + own + ", " + first + ", whose job " + std::string{view.jobs.id_text(head)} +
            " is first";
  }
  return text;
}

}  // namespace

Explanation explain(const View& view, Core& core, const Backfill& backfill, JobId job) {
  if (core.tied(view, job)) return core.explain_tied(view, job);
  const Demand& d = core.demand(view, job);
  const SimTime ends = later(view.now, view.jobs.planned(job));
  const std::optional<Cause> outage = core.rooms().cause(view, d, ends, core.stamp());
  Explanation e;
  e.promised = backfill.promised(core, job);
  const Fit f = fit(view.cluster, d);
  e.cause = cause_of_misfit(f);
  const JobId head = core.head(view);
  if (outage && (f != Fit::yes || !core.capped(view, job))) {
    e.cause = *outage;
    e.text = core.rooms().text(view, d, ends);
  } else if (f != Fit::yes) {
    e.text = misfit_text(view, d, f);
    e.remedy = relief_text(view, d);
  } else if (core.capped(view, job)) {
    e.cause = Cause::quota;
    const NameId queue = view.jobs.queue(job);
    const std::int64_t more = core.still_to_charge(view, job);
    e.text =
        "needs " + describe(d) + ", and that is free, but " + core.quota()->text(view, queue, more);
    e.remedy = core.quota()->remedy(view, queue, more);
  } else if (const auto [level, until] = core.stance(view, job); level < Level::fleet) {
    const std::string inside = std::string{name(level)};
    e.cause = Cause::topology;
    e.text = "needs " + describe(d) + ", and that is free, but not inside one " + inside +
             "; it waits for a " + inside + " until " + at_text(until) + " (delay_" + inside + ")";
    e.remedy = "a " + inside + " with room for it, or a shorter delay_" + inside;
  } else if (core.next_backfill(view) > view.now && head != job) {
    e.cause = Cause::interval;
    e.text = "needs " + describe(d) +
             ", and that is free, but jobs behind the first one are tried " +
             "at multiples of backfill_interval only";
    e.remedy = "the next time is at " + at_text(core.next_backfill(view));
  } else if (const Waiting* last = backfill.last_tried(); last && *last < core.queue().entry(job)) {
    e.text = "needs " + describe(d) + ", and that is free, but only the first " +
             std::to_string(core.params().depth) + " waiting jobs are tried (depth)";
    e.remedy = "jobs ahead of it must start, or depth be larger";
  } else if (core.params().backfill == BackfillKind::none || head == kNoJob) {
    e.text = "needs " + describe(d) + ", and that is free, but job " +
             (head == kNoJob ? std::string{"?"} : std::string{view.jobs.id_text(head)}) +
             " is ahead and must go first";
    if (head != kNoJob)
      e.remedy =
          "job " + std::string{view.jobs.id_text(head)} + " " +
          misfit_text(view, core.demand(view, head), fit(view.cluster, core.demand(view, head))) +
          "; a backfill policy would let this job pass";
  } else {
    e.cause = Cause::reservation;
    const SimTime end = later(view.now, view.jobs.planned(job));
    e.text = "needs " + describe(d) +
             ", and that is free, but by its estimate it would run until " +
             (end == kNever ? std::string{"no known time"} : at_text(end));
    if (const SimTime at = backfill.promised(core, head);
        head != job && at != kNever && at >= view.now) {
      e.text += " and delay job " + std::string{view.jobs.id_text(head)} +
                ", which is promised to start by " + at_text(at);
      if (at > view.now)
        e.remedy = "an estimate of at most " + to_decimal((at - view.now).count(), 9) +
                   " s would let it start now; ";
      e.remedy +=
          "job " + std::string{view.jobs.id_text(head)} + " " +
          misfit_text(view, core.demand(view, head), fit(view.cluster, core.demand(view, head)));
    } else {
      e.text += " and delay a job ahead of it";
    }
  }
  e.text += place_text(view, core, job, head);
  if (const std::string unfair = core.unfair_text(view, job); !unfair.empty())
    e.text += "; " + unfair;
  // What was to be kept at this very moment has not been, unless others of it are still to come.
  if (e.promised < view.now || (e.promised == view.now && !view.by_event)) {
    e.text += "; the promise to start it by " + at_text(e.promised) + " could not be kept";
    e.promised = kNever;
  }
  if (e.promised != kNever) e.text += "; it is promised to start by " + at_text(e.promised);
  return e;
}

}  // namespace muster::batch
