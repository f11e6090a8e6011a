#include "livelock.hpp"

#include <string>

#include "muster/policy/parts/words.hpp"

namespace muster {

std::optional<Finding> LivelockWatch::evicted(SimTime now, JobId victim, JobId by, bool progress,
                                              const Workload& w) {
  if (by == kNoJob) return std::nullopt;
  const auto key = victim < by ? std::pair{victim, by} : std::pair{by, victim};
  if (progress) {
    pairs_.erase(key);
    in_a_ring_.clear();
    return std::nullopt;
  }
  Count& vain = in_vain_.try_emplace({by, victim}, Count{0, 0, now}).first->second;
  if (++vain.there >= most_) {
    Finding f{Finding::Kind::livelock, vain.since, now, {by, victim}, {}};
    f.text = std::string{w.id_text(by)} + " evicted " + std::string{w.id_text(victim)} + " " +
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
  if (c.there + c.back < most_ || c.there == 0 || c.back == 0) return ring(now, victim, w);
  Finding f{Finding::Kind::livelock, c.since, now, {key.first, key.second}, {}};
  f.text = std::string{w.id_text(key.first)} + " and " + std::string{w.id_text(key.second)} +
           " evicted each other " + std::to_string(c.there + c.back) + " times between " +
           at_text(c.since) + " and " + at_text(now) + ", and neither got any work done";
  pairs_.erase(it);
  return f;
}

std::optional<Finding> LivelockWatch::ring(SimTime now, JobId victim, const Workload& w) {
  const auto [it, fresh] = in_a_ring_.try_emplace(victim);
  if (fresh) it->second.since = now;
  if (++it->second.there < most_) return std::nullopt;
  Finding f{Finding::Kind::livelock, it->second.since, now, {}, {}};
  std::string names;
  for (const auto& [job, count] : in_a_ring_) {
    if (count.there < 2) continue;
    f.jobs.push_back(job);
    if (f.jobs.size() <= 8) names += (names.empty() ? "" : ", ") + std::string{w.id_text(job)};
  }
  if (f.jobs.size() > 8) names += " and " + std::to_string(f.jobs.size() - 8) + " more";
  f.text = names + " took turns; " + std::string{w.id_text(victim)} + " was evicted " +
           std::to_string(it->second.there) + " times between " + at_text(it->second.since) +
           " and " + at_text(now) + ", and nobody got any work done";
  in_a_ring_.clear();
  return f;
}

std::optional<Finding> LivelockWatch::dropped(SimTime now, JobId job, const Workload& w) {
  const auto [it, fresh] = drops_.try_emplace(job);
  if (fresh) it->second.since = now;
  if (++it->second.there < most_) return std::nullopt;
  Finding f{Finding::Kind::livelock, it->second.since, now, {}, {}};
  std::string names;
  for (const auto& [other, count] : drops_) {
    if (count.there < 2) continue;
    f.jobs.push_back(other);
    if (f.jobs.size() <= 8) names += (names.empty() ? "" : ", ") + std::string{w.id_text(other)};
  }
  if (f.jobs.size() > 8) names += " and " + std::to_string(f.jobs.size() - 8) + " more";
  f.text = names + (f.jobs.size() == 1 ? " gave" : " took turns giving") +
           " back incomplete gangs; " + std::string{w.id_text(job)} + " did so " +
           std::to_string(it->second.there) + " times between " + at_text(it->second.since) +
           " and " + at_text(now) + " without ever being complete";
  drops_.clear();
  return f;
}

void LivelockWatch::advanced(JobId job) {
  drops_.erase(job);
  if (in_vain_.empty()) return;
  const auto first = in_vain_.lower_bound({job, JobId{0}});
  auto last = first;
  while (last != in_vain_.end() && last->first.first == job) ++last;
  in_vain_.erase(first, last);
}

}  // namespace muster
