#include "livelock.hpp"

#include <string>

#include "muster/policy/parts/words.hpp"
#include "names.hpp"

namespace muster {

std::optional<Finding> LivelockWatch::evicted(SimTime now, JobId victim, JobId by, bool progress,
                                              const Workload& w) {
  if (by == kNoJob) return std::nullopt;
  if (progress) return got_on(victim, by), std::nullopt;
  return done_to(now, victim, by, "evicted", w);
}

std::optional<Finding> LivelockWatch::reshaped(SimTime now, JobId job, JobId by, bool progress,
                                               const Workload& w) {
  if (progress) return got_on(job, by), std::nullopt;
  return by == kNoJob ? ring(now, job, "resized", w) : done_to(now, job, by, "resized", w);
}

void LivelockWatch::got_on(JobId victim, JobId by) {
  pairs_.erase(std::minmax(victim, by));
  in_a_ring_.clear();
}

std::optional<Finding> LivelockWatch::done_to(SimTime now, JobId victim, JobId by, const char* deed,
                                              const Workload& w) {
  const std::pair<JobId, JobId> key = std::minmax(victim, by);
  Count& vain = in_vain_.try_emplace({by, victim}, Count{0, 0, now}).first->second;
  if (++vain.there >= most_) {
    Finding f{Finding::Kind::livelock, vain.since, now, {by, victim}, {}};
    f.text = std::string{w.id_text(by)} + " " + deed + " " + std::string{w.id_text(victim)} + " " +
             std::to_string(vain.there) + " times between " + at_text(vain.since) + " and " +
             at_text(now) + ", never started itself, and " + std::string{w.id_text(victim)} +
             " got no work done";
    in_vain_.erase({by, victim});
    return f;
  }
  const auto [it, fresh] = pairs_.try_emplace(key);
  Count& c = it->second;
  if (fresh) c.since = now;
  ++(victim < by ? c.there : c.back);
  if (c.there + c.back < most_ || c.there == 0 || c.back == 0) return ring(now, victim, deed, w);
  Finding f{Finding::Kind::livelock, c.since, now, {key.first, key.second}, {}};
  f.text = std::string{w.id_text(key.first)} + " and " + std::string{w.id_text(key.second)} + " " +
           deed + " each other " + std::to_string(c.there + c.back) + " times between " +
           at_text(c.since) + " and " + at_text(now) + ", and neither got any work done";
  pairs_.erase(it);
  in_a_ring_.clear();  // they are named, and are not a ring besides
  return f;
}

/// One more of `job`. If that is one too many: a finding about all who had more than one, with their
/// names for a text, and nothing is counted any more.
std::optional<Finding> LivelockWatch::turn(std::map<JobId, Count>& turns, SimTime now, JobId job,
                                           const Workload& w) const {
  const auto [it, fresh] = turns.try_emplace(job);
  if (fresh) it->second.since = now;
  if (++it->second.there < most_) return std::nullopt;
  Finding f{Finding::Kind::livelock, it->second.since, now, {}, {}};
  for (const auto& [other, count] : turns)
    if (count.there >= 2) f.jobs.push_back(other);
  f.text = names_text(w, f.jobs);
  turns.clear();
  return f;
}

std::string LivelockWatch::times_text(const Finding& f) const {
  return std::to_string(most_) + " times between " + at_text(f.from) + " and " + at_text(f.to);
}

std::optional<Finding> LivelockWatch::ring(SimTime now, JobId victim, const char* deed,
                                           const Workload& w) {
  auto f = turn(in_a_ring_, now, victim, w);
  if (f)
    f->text += (f->jobs.size() == 1 ? "; " : " took turns; ") + std::string{w.id_text(victim)} +
               " was " + deed + " " + times_text(*f) + ", and nobody got any work done";
  return f;
}

std::optional<Finding> LivelockWatch::dropped(SimTime now, JobId job, const Workload& w) {
  auto f = turn(drops_, now, job, w);
  if (f)
    f->text += (f->jobs.size() == 1 ? " gave" : " took turns giving") +
               std::string{" back incomplete gangs; "} + std::string{w.id_text(job)} + " did so " +
               times_text(*f) + " without ever being complete";
  return f;
}

void LivelockWatch::forget(JobId job) {
  drops_.erase(job);
  const auto first = in_vain_.lower_bound({job, JobId{0}});
  auto last = first;
  while (last != in_vain_.end() && last->first.first == job) ++last;
  in_vain_.erase(first, last);
}

}  // namespace muster
