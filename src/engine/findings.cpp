// What a run is told to look out for: deadlock and starvation. (livelock.cpp watches evictions.)

#include <algorithm>

#include "engine.hpp"
#include "muster/core/int128.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {

/// Whether anything is still to come but submissions. Asked while no job runs, so ends are stale, and
/// so are cancellations of jobs that have ended: what can't happen any more is dropped.
bool Engine::anything_comes() {
  bool comes = false;
  queue_.drop_if([&](const Event& e) {
    const bool cancels = e.kind() == EventKind::cancel && state_[JobId{e.job}] < JobState::running;
    const bool nodes = e.kind() == EventKind::back || e.kind() == EventKind::away;
    const bool disturbs = e.kind() == EventKind::disturb;  // frees nobody's GPUs
    const bool others =
        cancels || nodes || e.kind() == EventKind::notice || e.kind() == EventKind::pass;
    comes |= others;
    return !others && !disturbs;
  });
  return comes;
}

/// Gangs that hold some of their GPUs and wait for the rest, with nothing left that could free any.
void Engine::look_for_deadlock() {
  if (incomplete_ == 0 || !running_.empty() || anything_comes()) return;
  if (next_arrival() != kNever && !stopped_ && options_.on_livelock == OnLivelock::go_on) return;
  std::string text = "no job runs, and incomplete gangs wait for each other:";
  std::vector<JobId> holders;
  std::size_t said = 0;
  for (std::uint32_t i = 0; i < arrived_; ++i) {
    const JobId j{i};
    if (state_[j] != JobState::pending || live_[j].start == kNever) continue;
    holders.push_back(j);
    if (++said > 8) continue;
    const std::uint32_t held = gpus_in(placements_.of(j));
    std::string where;
    for (const Slice& s : placements_.of(j)) {
      if (where.size() < 60) where += (where.empty() ? "" : ", ") + fleet_.node_name(s.first);
    }
    const std::uint32_t needed = demands_[workload_.shape[j]].gpus;
    text += (said == 1 ? " " : "; ") + std::string{workload_.id_text(j)} + " holds " +
            std::to_string(held) + " of " + std::to_string(needed) + " GPUs (" + where +
            ") and waits for " + std::to_string(needed - held) + " more";
  }
  if (said > 8) text += "; and " + std::to_string(said - 8) + " more such gangs";
  text += "; " + std::to_string(cluster_.free_gpus(cluster_.whole_pools())) + " GPUs are free";
  // The window ends with the last thing that happened, and after a deadlock nothing does.
  if (!options_.cuts_off() || options_.on_livelock == OnLivelock::stop)
    text += "; the books end here, at " + at_text(now_) +
            ": on_livelock=go_on and a horizon let them tell what is held in vain until then";
  find({Finding::Kind::deadlock, now_, now_, std::move(holders), std::move(text)});
}

/// Jobs wait on a fleet on which nothing runs: a policy that does not want them.
Finding Engine::nobody_starts(const std::string& why) const {
  constexpr std::size_t kNamed = 8;
  std::vector<JobId> waiting;
  std::string text = "no job runs, " + why + ", and " + count_text(waiting_, "job") +
                     (waiting_ == 1 ? " waits" : " wait") + " that the policy does not start:";
  for (std::uint32_t i = 0; i < arrived_; ++i) {
    if (state_[JobId{i}] != JobState::pending) continue;
    waiting.push_back(JobId{i});
    if (waiting.size() <= kNamed) text += " " + std::string{workload_.id_text(JobId{i})};
  }
  if (waiting.size() > kNamed) text += " ...";
  return {Finding::Kind::deadlock, now_, now_, std::move(waiting), std::move(text)};
}

/// A policy may ask for passes for ever without starting anybody.
void Engine::look_for_idling() {
  constexpr std::uint64_t kMost = 100'000;
  // Failures that are drawn have no end, so incomplete gangs are never found to wait for nothing.
  const auto drawn = [&] { return availability_ && !availability_->things.empty(); };
  const bool idle = running_.empty() && waiting_ > 0 && (incomplete_ == 0 || drawn()) &&
                    next_arrival() == kNever && !options_.cuts_off() &&
                    summary_.records == records_seen_;
  records_seen_ = summary_.records;
  idle_passes_ = idle ? idle_passes_ + 1 : 0;
  if (idle_passes_ < kMost) return;
  find(nobody_starts(std::to_string(kMost) + " passes in a row changed nothing"));
  stopped_ = true;
}

/// A job that waits longer than asked while later ones start.
void Engine::look_for_starvation(JobId started) {
  if (options_.starvation_after == kUnknown) return;
  while (oldest_ < arrived_ && state_[JobId{oldest_}] != JobState::pending) {
    ++oldest_;
    passed_over_ = 0;
  }
  if (oldest_ >= started.value) return;
  ++passed_over_;
  const JobId starved{oldest_};
  if (now_ - workload_.submit[starved] <= options_.starvation_after) return;
  for (const Finding& f : summary_.findings)
    if (f.kind == Finding::Kind::starvation && f.jobs.front() == starved) return;
  find({Finding::Kind::starvation,
        workload_.submit[starved],
        now_,
        {starved},
        std::string{workload_.id_text(starved)} + " (" +
            describe(demands_[workload_.shape[starved]]) + ") has waited " +
            to_decimal((now_ - workload_.submit[starved]).count(), 9) + " s while " +
            std::to_string(passed_over_) + " later jobs started"});
}

/// Whether those who take turns are all that is left: nobody else runs, is to be submitted or to be
/// withdrawn.
bool Engine::nothing_else_comes(const Finding& livelock) {
  if (options_.cuts_off() || next_arrival() != kNever) return false;
  bool alone = true;
  running_.each([&](const RunningJob& r) {
    return alone =
               std::find(livelock.jobs.begin(), livelock.jobs.end(), r.job) != livelock.jobs.end();
  });
  if (!alone) return false;
  const JobState last = options_.cancel_running ? JobState::running : JobState::pending;
  queue_.drop_if([&](const Event& e) {
    alone &= e.kind() != EventKind::cancel || state_[JobId{e.job}] > last;
    return false;
  });
  return alone;
}

/// A run that goes on after findings has no end where nothing but turns in vain is left. Turns may
/// still come apart, so it takes many of them.
void Engine::find(Finding f) {
  constexpr std::size_t kMost = 100;
  if (options_.on_livelock == OnLivelock::stop) stopped_ = true;
  if (f.kind == Finding::Kind::livelock && ++in_vain_ >= kMost && !stopped_ &&
      nothing_else_comes(f)) {
    stopped_ = true;
    summary_.warnings.push_back("no_end: " + std::to_string(in_vain_) +
                                " livelocks since the last job ended, and nothing else is left to "
                                "happen: the run ends here, at " +
                                at_text(now_));
  }
  if (summary_.findings.size() < kMost) summary_.findings.push_back(std::move(f));
}

}  // namespace muster
