// Nodes that fail again and again are taken out, so that they don't take job after job with them.

#include <algorithm>

#include "engine.hpp"

namespace muster {

/// It has failed, by itself: not with a domain that it is in.
void Engine::note_failure(NodeId n) {
  const OutagePlan::Quarantine& rule = availability_->plan.quarantine;
  if (rule.after == 0) return;
  Availability::Faults& record = availability_->failed[n];
  if (record.window != 0) return;
  std::vector<SimTime>& times = record.failures;
  times.push_back(now_);
  std::erase_if(times, [&](SimTime t) { return now_ - t > rule.window; });
  if (static_cast<std::int64_t>(times.size()) < rule.after) return;
  times.clear();
  const bool for_good = rule.time == Duration{};
  record.window = leave(Window::Kind::down, now_, for_good ? kNever : later(now_, rule.time), {n},
                        0, availability_->cause("quarantine"));
  if (!for_good)
    queue_.push(outage_at(later(now_, rule.time), n.value, kQuarantine, EventKind::back));
}

/// What is on a node that was taken out for good fails no more.
bool Engine::switched_off(const Availability::Thing& t) const {
  const Availability& a = *availability_;
  if (a.plan.quarantine.time != Duration{} || a.plan.failures.processes[t.process].of_domains())
    return false;
  const auto record = a.failed.find(t.node);
  return record != a.failed.end() && record->second.window != 0;
}

void Engine::release(NodeId n) {
  come_back(Window::Kind::down, {n}, availability_->failed[n].window);
  availability_->failed[n].window = 0;
}

}  // namespace muster
