// How long jobs are planned to run: by their users, in truth, or by a predictor.

#include <algorithm>
#include <array>

#include "engine.hpp"
#include "muster/core/int128.hpp"

namespace muster {
namespace {

/// What a job without any estimate is planned with (Planning::default_estimate unset).
constexpr Duration kDefaultEstimate = std::chrono::hours{24};

}  // namespace

Duration Engine::default_estimate() const {
  return planning_.default_estimate == kUnknown ? kDefaultEstimate : planning_.default_estimate;
}

void Engine::prepare_estimates() {
  std::uint64_t missing = 0;
  for (std::uint32_t i = 0; i < workload_.size(); ++i) {
    const JobId j{i};
    if (planning_.estimates != Planning::Estimates::perfect && workload_.estimate[j] == kUnknown)
      ++missing;
    planned_[j] = planned_for(j);
  }
  if (missing > 0)
    summary_.warnings.push_back("estimate_missing: " + std::to_string(missing) + " of " +
                                std::to_string(workload_.size()) + " jobs have no estimate" +
                                planned_without());
}

/// What that means for them, in words; advice only where it would change anything.
std::string Engine::planned_without() const {
  const bool said = planning_.default_estimate != kUnknown;
  if (!said && !planning_.by_estimates) return ", and the policy goes by none";
  return " and are planned with " + to_decimal(default_estimate().count(), 9) + " s" +
         (said ? " (default_estimate)"
               : " (and never killed for passing it); default_estimate=... or estimates=perfect "
                 "changes that");
}

/// How long the attempt at hand is planned to run, by what its user said or, if that is asked for, in truth.
Duration Engine::planned_for(JobId j) const {
  Duration estimate = workload_.estimate[j];
  if (planning_.estimates == Planning::Estimates::perfect)
    estimate = work_of_attempt(j);
  else if (estimate == kUnknown)
    estimate = default_estimate();
  return with_checkpoints(j, std::min(estimate, limit_of(j))) + demands_[workload_.shape[j]].setup;
}

/// Asked when a job is submitted: only what ended before can have been learned. A prediction never
/// exceeds what the user said (Tsafrir et al., TPDS 2007), and kills nobody.
void Engine::predict(JobId j) {
  if (!predictor_) return;
  predicted_[j] = predictor_->predict(jobs_, j);
  if (planning_.estimates != Planning::Estimates::predicted || predicted_[j] == kUnknown) return;
  planned_[j] = with_checkpoints(j, std::min(std::max<Duration>(predicted_[j], kOverrunStep),
                                             longest_by_user(j))) +
                demands_[workload_.shape[j]].setup;
}

Duration Engine::longest_by_user(JobId j) const {
  const Duration estimate = workload_.estimate[j];
  return estimate == kUnknown ? limit_of(j) : std::min(limit_of(j), estimate);
}

/// Jobs that have outlived their prediction get another one, by Planning::correction: none, so that they
/// end in a second at each pass anew (CONVENTIONS C4); a little more each time (Tsafrir et al., TPDS
/// 2007); or all that their users said (Gaussier et al., SC'15). Never
/// more than that; who outlives it too ends in a second.
void Engine::revise_predictions() {
  using std::chrono::hours, std::chrono::minutes;
  static constexpr std::array<Duration, 11> kMore{minutes{1}, minutes{5}, minutes{15}, minutes{30},
                                                  hours{1},   hours{2},   hours{5},    hours{10},
                                                  hours{20},  hours{50},  hours{100}};
  revised_ = repriced_;
  repriced_ = false;
  if (planning_.estimates != Planning::Estimates::predicted ||
      planning_.correction == Planning::Correction::now)
    return;
  // With passes = event one that is predicted to end now may yet do so (C16).
  const SimTime passed = options_.passes == Passes::event ? now_ - Duration{1} : now_;
  outlived_.clear();
  running_.each([&](const RunningJob& r) {
    if (r.end <= passed) outlived_.push_back(r);
    return r.end <= passed;
  });
  for (RunningJob& r : outlived_) {
    Live& live = live_[r.job];
    if (live.stop_from != kNever) continue;  // on its way out
    const Duration longest = longest_by_user(r.job);
    const SimTime working = r.start + r.overhead;
    const auto units = [&](Duration work) { return Int128{work.count()} * live.speed.den; };
    const SimTime last =
        longest == kUnlimited ? kNever : later(working, live.time_to(units(longest - done(r.job))));
    SimTime end = last;
    if (planning_.correction == Planning::Correction::incremental) {
      end = later(working, live.time_to(units(planned_[r.job] - r.overhead)));
      for (std::size_t i = 0; end <= passed; ++i)
        end = later(end, kMore[std::min(i, kMore.size() - 1)]);
      end = std::min(end, last);
    }
    if (end <= r.end) continue;
    running_.erase(r);
    r.end = end;
    running_.insert(r);
    live.entry = r;
    revised_ = true;
  }
}

Duration Engine::limit_of(JobId j) const {
  if (!planning_.kill_at_limit) return kUnlimited;
  const Duration limit = Workload::at_or(workload_.limit, j, kUnknown);
  if (limit != kUnknown) return limit;
  if (workload_.estimate[j] != kUnknown) return workload_.estimate[j];
  return planning_.default_estimate == kUnknown ? kUnlimited : planning_.default_estimate;
}

}  // namespace muster
