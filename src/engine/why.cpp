#include "muster/engine/why.hpp"

#include "engine.hpp"
#include "names.hpp"

namespace muster {
namespace {

/// Notes what becomes of one job.
class Watch final : public Observer {
 public:
  Watch(JobId job, WhyReport& report) : job_(job), report_(report) {}
  void on(const Record& r) override {
    if (r.job != job_) return;
    report_.state = r.state;
    if (r.what == Record::What::submit) report_.submit = r.at;
    if (r.what == Record::What::start && report_.start == kNever) report_.start = r.at;
    if (r.what == Record::What::submit && r.state == JobState::held)
      enter(r.at, Cause::held, "waits for the jobs it depends on");
    if (r.state != JobState::pending && r.state != JobState::held) leave(r.at);
  }
  void enter(SimTime at, Cause cause, std::string text) {
    if (open_ && report_.timeline.back().cause == cause) return;
    leave(at);
    report_.timeline.push_back({at, kNever, cause, std::move(text)});
    open_ = true;
  }
  void leave(SimTime at) {
    if (open_) report_.timeline.back().to = at;
    open_ = false;
  }

 private:
  JobId job_;
  WhyReport& report_;
  bool open_ = false;
};

/// Whom a held job still waits for.
Explanation held_by(const Engine& engine, const Workload& workload, JobId job) {
  std::vector<JobId> open;
  for (const JobId before : workload.depends_on.at(job))
    if (!engine.gone(before)) open.push_back(before);
  Explanation e;
  e.cause = Cause::held;
  e.text = "it depends on " + names_text(workload, open) + ", which " +
           (open.size() == 1 ? "has" : "have") + " not ended";
  return e;
}

}  // namespace

WhyReport why(const Fleet& fleet, const Workload& workload, Policy& policy,
              const EngineOptions& options, JobId job, std::optional<SimTime> at,
              std::uint64_t seed) {
  WhyReport report;
  if (at) report.asked = *at;
  Watch watch(job, report);
  Engine engine(fleet, workload, policy, options, watch, seed);
  SimTime last = kStart;
  const RunSummary run = engine.run({}, [&](const View& view) {
    last = view.now;
    const bool held = engine.held(job);
    if (held || engine.waits(job)) {
      Explanation e;
      if (held) {
        e = held_by(engine, workload, job);
      } else if (engine.unseen(job)) {
        e.cause = Cause::interval;
        e.text =
            "the next scheduling pass, at a multiple of the scheduling interval, is not due yet";
      } else {
        e = policy.explain(view, job);
      }
      watch.enter(view.now, e.cause, e.text);
      // The state of affairs found by a pass holds until the next one.
      if (!at || view.now <= *at) {
        report.waiting = true;
        if (!at) report.asked = view.now;
        report.at = std::move(e);
      }
    } else if (at && view.now <= *at) {
      report.waiting = false;
    }
    const bool decided = at && view.now > *at;
    const bool over = report.state > JobState::running;
    return !(over || (report.state == JobState::running && (!at || decided)));
  });
  watch.leave(last);
  for (const Rejection& r : run.rejections)
    if (r.job == job) report.rejection = r;
  return report;
}

}  // namespace muster
