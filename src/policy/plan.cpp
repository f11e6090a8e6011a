#include "muster/policy/plan.hpp"

namespace muster {

std::uint8_t Plan::pool_of(std::span<const Slice> slices) const {
  const Fleet& fleet = cluster_.fleet();
  if (fleet.pools.size() == 1) return 0;
  const std::uint8_t first = fleet.nodes[slices[0].first].pool;
  for (const Slice& s : slices)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      if (fleet.nodes[NodeId{n}].pool != first) return RunningJob::kSeveral;
  return first;
}

void Plan::start(JobId j, std::span<const Slice> slices) {
  const Terms terms = host_.terms(j);
  if (!slices.empty()) {
    MUSTER_CHECK(placements_.of(j).empty());
    cluster_.take(slices, terms.milli);
    placements_.assign(j, slices);
  }
  std::int64_t milli = 0;
  for (const Slice& s : placements_.of(j)) milli += std::int64_t{count(s.gpus)} * s.count * terms.milli;
  const RunningJob entry{later(now_, terms.planned), starts_++,     j, now_,
                         terms.overhead,             milli, pool_of(placements_.of(j))};
  running_.insert(entry);
  entries_[j] = entry;
  steps_.push_back({Verb::start, PreemptMode::suspend, j, kNoJob, entry});
}

void Plan::preempt(JobId victim, JobId by, PreemptMode mode) {
  const Terms terms = host_.terms(victim);
  const RunningJob entry = entries_[victim];
  running_.erase(entry);
  if (terms.grace > Duration{}) {
    entries_[victim].end = std::min(entry.end, later(now_, terms.grace));
    running_.insert(entries_[victim]);
  } else {
    cluster_.give_back(placements_.of(victim), terms.milli);
  }
  steps_.push_back({Verb::preempt, mode, victim, by, entry});
}

void Plan::acquire(JobId j, std::span<const Slice> more) {
  cluster_.take(more, host_.terms(j).milli);
  const auto held = placements_.of(j);
  buffer_.assign(held.begin(), held.end());
  buffer_.insert(buffer_.end(), more.begin(), more.end());
  placements_.recycle(j);
  placements_.assign(j, buffer_);
  steps_.push_back({Verb::acquire, PreemptMode::suspend, j, kNoJob, {}});
}

void Plan::drop(JobId j) {
  cluster_.give_back(placements_.of(j), host_.terms(j).milli);
  steps_.push_back({Verb::drop, PreemptMode::requeue, j, kNoJob, {}});
}

void Plan::undo_to(Mark m) {
  while (steps_.size() > m.steps) {
    const Step s = steps_.back();
    steps_.pop_back();
    const Terms terms = host_.terms(s.job);
    switch (s.verb) {
      case Verb::start:
        running_.erase(s.running);
        cluster_.give_back(placements_.of(s.job), terms.milli);
        placements_.recycle(s.job);
        break;
      case Verb::preempt:
        if (terms.grace > Duration{})
          running_.erase(entries_[s.job]);
        else
          cluster_.take(placements_.of(s.job), terms.milli);
        entries_[s.job] = s.running;
        running_.insert(s.running);
        break;
      case Verb::acquire:
      case Verb::drop:
        MUSTER_CHECK(!"acquire and drop can't be undone");
    }
  }
}

}  // namespace muster
