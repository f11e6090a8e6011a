#include "muster/engine/why.hpp"

#include <algorithm>

#include "engine.hpp"
#include "muster/policy/parts/words.hpp"
#include "names.hpp"

namespace muster {
namespace {

/// "n4 n5": nodes of `of` that are not among `other`; after the first eight " and 3 more".
std::string nodes_beyond(const Fleet& fleet, std::span<const Slice> of,
                         std::span<const Slice> other) {
  constexpr std::size_t kShown = 8;
  const auto has = [&](NodeId n) {
    return std::any_of(other.begin(), other.end(), [&](const Slice& s) {
      return n.value >= s.first.value && n.value - s.first.value < s.count;
    });
  };
  std::string text;
  std::size_t nodes = 0;
  for (const Slice& s : of)
    for (std::uint32_t i = 0; i < s.count; ++i)
      if (const NodeId n{s.first.value + i}; !has(n) && ++nodes <= kShown)
        text += (nodes == 1 ? "" : " ") + fleet.node_name(n);
  return nodes > kShown ? text + " and " + std::to_string(nodes - kShown) + " more" : text;
}

/// ", 20 s of its work are lost".
std::string lost_text(const Record& r) {
  const Duration lost = r.lost + r.lost_earlier;
  return lost > Duration{} ? ", " + at_text(kStart + lost) + " of its work are lost"
                           : ", nothing is lost";
}

/// Notes what becomes of one job.
class Watch final : public Observer {
 public:
  Watch(const Fleet& fleet, const Workload& workload, JobId job, WhyReport& report)
      : fleet_(fleet), workload_(workload), job_(job), report_(report) {}
  void on(const Record& r) override {
    if (r.job != job_) return;
    report_.state = r.state;
    if (r.what == Record::What::submit) report_.submit = r.at;
    if (r.what == Record::What::start && report_.start == kNever) report_.start = r.at;
    if (r.what == Record::What::submit && r.state == JobState::held)
      wait(r.at, Cause::held, "waits for the jobs it depends on");
    if (r.what == Record::What::start) {
      leave(r.at);
      report_.timeline.push_back({r.at, kNever, true, {}, ""});
      open_ = true;
    } else if (runs()) {
      if (r.what == Record::What::stop || r.what == Record::What::end) {
        report_.timeline.back().text = afterwards(r);
        leave(r.at);
      } else if (r.what == Record::What::reshape && (r.interrupted || r.slow)) {
        report_.timeline.back().text = goes_on(r);
        leave(r.at);
        report_.timeline.push_back({r.at, kNever, true, {}, ""});
        open_ = true;
      }
    } else if (r.state > JobState::running) {
      if (r.state == JobState::cancelled_pending && report_.start != kNever)
        report_.withdrawn = "withdrawn while it waited " + awaited();
      leave(r.at);
    }
  }
  void wait(SimTime at, Cause cause, std::string text) {
    if (open_ && report_.timeline.back().cause == cause) return;
    leave(at);
    report_.timeline.push_back({at, kNever, false, cause, std::move(text)});
    open_ = true;
  }
  void leave(SimTime at) {
    if (open_) report_.timeline.back().to = at;
    open_ = false;
  }

 private:
  bool runs() const { return open_ && report_.timeline.back().runs; }
  std::string afterwards(const Record& r) {
    if (r.what == Record::What::end) return "then it has ended: " + std::string{name(r.state)};
    if (r.failed)
      return "then it fails by itself, and is tried again (attempt " +
             std::to_string(++failed_ + 1) + " of " +
             std::to_string(workload_.failed_attempts(job_) + 1) + ")";
    if (r.slow) return "then a node of it is found slow and taken out";
    if (r.interrupted) return "then an outage interrupts it" + lost_text(r);
    if (r.by == kNoJob) return "then it is preempted";
    return "then it makes room for job " + std::string{workload_.id_text(r.by)};
  }

  /// It runs on, though a node of it is out.
  std::string goes_on(const Record& r) const {
    const std::string left = nodes_beyond(fleet_, r.before, r.placement);
    const std::string come = nodes_beyond(fleet_, r.placement, r.before);
    std::string where = " where it is";
    if (!left.empty())
      where = come.empty() ? " without " + left : " with " + come + " in place of " + left;
    return (r.slow ? "then a node of it is found slow" : "then an outage interrupts it") +
           lost_text(r) + ", and it goes on" + where;
  }

  std::string awaited() const {
    if (failed_ == 0) return "to go on";
    return "for attempt " + std::to_string(failed_ + 1) + " of " +
           std::to_string(workload_.failed_attempts(job_) + 1);
  }

  const Fleet& fleet_;
  const Workload& workload_;
  JobId job_;
  WhyReport& report_;
  bool open_ = false;
  std::size_t failed_ = 0;  // attempts
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
              std::uint64_t seed, const ProgressFn& progress) {
  WhyReport report;
  if (at) report.asked = *at;
  Watch watch(fleet, workload, job, report);
  Engine engine(fleet, workload, policy, options, watch, seed);
  SimTime last = kStart;
  const RunSummary run = engine.run(progress, [&](const View& view) {
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
      watch.wait(view.now, e.cause, e.text);
      // The state of affairs found by a pass holds until the next one, but for the time that passes.
      if (!at || view.now <= *at) {
        report.waiting = true;
        if (!at) report.asked = view.now;
        report.at = std::move(e);
        if (at && *at < engine.next_instant() && !held && !engine.unseen(job)) {
          View then = view;
          then.now = *at;
          report.at = policy.explain(then, job);
        }
      }
    } else if (at && view.now <= *at) {
      report.waiting = false;
    }
    return report.state <= JobState::running;
  });
  watch.leave(std::max(last, run.end));  // it may wait until the window closes
  for (const Rejection& r : run.rejections)
    if (r.job == job) report.rejection = r;
  return report;
}

}  // namespace muster
