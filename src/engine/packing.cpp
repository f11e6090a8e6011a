// Two jobs on the same GPUs: each is charged for half of each, and their runs are settled where one comes
// or goes, so that the books always know who had how much.

#include <algorithm>

#include "engine.hpp"

namespace muster {

/// `j` starts on the GPUs of `host`. False if that one has gone from there by now.
bool Engine::pair_up(JobId j, JobId host) {
  const auto mine = placements_.of(j), its = placements_.of(host);
  if (state_[host] != JobState::running ||
      !std::equal(mine.begin(), mine.end(), its.begin(), its.end()))
    return false;
  for (const JobId one : {j, host})
    MUSTER_CHECK(Workload::at_or(workload_.grace, one, Duration{}) == Duration{} &&
                 !beside_.contains(one));
  beside_[j] = host;
  beside_[host] = j;
  share_gpus(host, kHalf);
  return true;
}

/// `j` has gone: whoever ran beside it has the GPUs for itself. If the same outage has hit that one, it is
/// noticed now; or its turn comes in this very instant (Engine::leave).
void Engine::separate(JobId j) {
  const auto it = beside_.find(j);
  if (it == beside_.end()) return;
  const JobId other = it->second;
  beside_.erase(it);
  const auto back = beside_.find(other);
  if (back == beside_.end()) return;
  if (live_[other].hung) return interrupt(other, availability_->hung.at(other));
  if (std::binary_search(hit_.begin(), hit_.end(), other)) return;
  beside_.erase(back);
  share_gpus(other, 1000);
}

/// Whoever ran beside it has gone, and its own share is settled when it goes as well.
bool Engine::left_behind(JobId j) const {
  const auto it = beside_.find(j);
  return it != beside_.end() && !beside_.contains(it->second);
}

/// From now on it is charged for so much of each of its GPUs. Nothing is paid, and nothing lost.
void Engine::share_gpus(JobId j, std::uint32_t milli) {
  Live& s = live_[j];
  const Spent so_far = spent(j, now_);
  running_.erase(s.entry);
  Duration rest = s.entry.overhead - so_far.overhead, read{};
  if (storage_ && storage_->stage(j)) {
    read = left_to_read(j);
    if (storage_->stage(j)->doing != Storage::Stage::Doing::starting) rest = read;
  }
  move_run(j, placements_.of(j), rest, so_far.work, kNoJob, Mover::policy, milli, read);
  enter_run(j);
  repriced_ = true;
  drop_stale_events();
}

}  // namespace muster
