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

std::string Plan::text() const {
  if (!verb_) return {};
  return "the policy " + std::string{verb_} + " job " + std::string{host_.id_text(job_)};
}

void Plan::check_nodes(std::span<const Slice> slices) const {
  const std::size_t nodes = cluster_.fleet().nodes.size();
  for (const Slice& s : slices)
    MUSTER_CHECK(s.count > 0 && s.first.value < nodes && s.count <= nodes - s.first.value &&
                 s.gpus != 0);
}

void Plan::start(JobId j, std::span<const Slice> slices) {
  const Saying saying{*this, "starts", j};
  MUSTER_CHECK(host_.waits(j));
  const Terms terms = host_.terms(j);
  check_nodes(slices);
  // Once in a pass. An incomplete gang holds GPUs, and starts with no more.
  MUSTER_CHECK(placements_.of(j).empty() != slices.empty());
  if (!slices.empty()) {
    cluster_.take(slices, terms.milli);
    placements_.assign(j, slices);
  }
  const bool makes = terms.mig != 0 && cluster_.lacks_instance(placements_.of(j)[0], terms.mig);
  RunningJob& entry = host_.entry(j);
  entry = entry_of(j, terms, starts_++, makes);
  running_.insert(entry);
  steps_.push_back({Verb::start, j, entry, kNoJob});
}

void Plan::start_beside(JobId j, JobId host) {
  const Saying saying{*this, "starts beside another one", j};
  MUSTER_CHECK(host_.waits(j) && placements_.of(j).empty());
  MUSTER_CHECK(sits(host));
  const Terms terms = host_.terms(j);
  const auto held = placements_.of(host);
  buffer_.assign(held.begin(), held.end());
  cluster_.pack(buffer_);
  placements_.assign(j, buffer_);
  RunningJob& entry = host_.entry(j);
  entry = entry_of(j, terms, starts_++, false);
  running_.insert(entry);
  steps_.push_back({Verb::start, j, entry, host});
}

/// Of `j`, which begins to run where it sits by now.
RunningJob Plan::entry_of(JobId j, const Terms& terms, std::uint32_t order, bool makes) const {
  const auto where = placements_.of(j);
  const Duration overhead = terms.overhead + (makes ? terms.setup : Duration{});
  const Duration work = terms.planned - terms.overhead - terms.setup;
  const SimTime end = later(later(now_, overhead), time_for(work, host_.speed(j, where)));
  const std::int64_t milli = std::int64_t{gpus_in(where)} * terms.milli;
  return {end, order, j, now_, overhead, milli, pool_of(where), makes};
}

/// Whether `j` was started in this very pass; that start is taken back.
bool Plan::started_now(JobId j) {
  for (std::size_t i = steps_.size(); i-- > 0;)
    if (steps_[i].verb == Verb::start && steps_[i].job == j) {
      take_back(steps_[i]);
      steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
  return false;
}

bool Plan::preempt(JobId victim, JobId by, PreemptMode mode) {
  const Saying saying{*this, "preempts", victim};
  if (started_now(victim)) return true;
  MUSTER_CHECK(host_.runs(victim));
  const Terms terms = host_.terms(victim);
  RunningJob& entry = host_.entry(victim);
  running_.erase(entry);
  if (terms.grace > Duration{}) {
    entry.end = std::min(entry.end, later(now_, terms.grace));
    running_.insert(entry);
  } else {
    cluster_.give_back(placements_.of(victim), terms.milli);
  }
  evictions_.push_back({victim, by});
  host_.preempted(victim, by, mode);
  return terms.grace == Duration{};
}

void Plan::reshape(JobId j, std::span<const Slice> slices, Duration overhead, JobId by) {
  const Saying saying{*this, "reshapes", j};
  MUSTER_CHECK(!slices.empty() && overhead >= Duration{});
  if (started_now(j)) return start(j, slices);
  MUSTER_CHECK(host_.runs(j));
  check_nodes(slices);
  MUSTER_CHECK(host_.terms(j).mig == 0);  // instances stay where they were made
  const std::uint32_t milli = host_.terms(j).milli;
  RunningJob& entry = host_.entry(j);
  running_.erase(entry);
  const auto held = placements_.of(j);
  buffer_.assign(held.begin(), held.end());
  cluster_.give_back(buffer_, milli);
  cluster_.take(slices, milli);
  placements_.recycle(j);
  placements_.assign(j, slices);
  host_.reshaped(j, buffer_, overhead, by);
  Terms terms = host_.terms(j);
  terms.overhead = overhead;
  entry = entry_of(j, terms, entry.order, false);
  running_.insert(entry);
}

void Plan::take_back(const Step& s) {
  running_.erase(s.running);
  cluster_.give_back(placements_.of(s.job), host_.terms(s.job).milli);
  placements_.recycle(s.job);
}

void Plan::acquire(JobId j, std::span<const Slice> more) {
  const Saying saying{*this, "gives more GPUs to", j};
  MUSTER_CHECK(host_.waits(j) && !more.empty());
  check_nodes(more);
  cluster_.take(more, host_.terms(j).milli);
  const auto held = placements_.of(j);
  buffer_.assign(held.begin(), held.end());
  buffer_.insert(buffer_.end(), more.begin(), more.end());
  placements_.recycle(j);
  placements_.assign(j, buffer_);
  steps_.push_back({Verb::acquire, j, {}, kNoJob});
}

void Plan::drop(JobId j) {
  const Saying saying{*this, "drops", j};
  MUSTER_CHECK(host_.waits(j) && sits(j));
  cluster_.give_back(placements_.of(j), host_.terms(j).milli);
  steps_.push_back({Verb::drop, j, {}, kNoJob});
}

void Plan::undo_to(Mark m) {
  while (steps_.size() > m.steps) {
    MUSTER_CHECK(steps_.back().verb == Verb::start);  // the others can't be taken back
    take_back(steps_.back());
    steps_.pop_back();
  }
}

}  // namespace muster
