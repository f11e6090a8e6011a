#include "storage_pipe.hpp"

#include <algorithm>

namespace muster {
namespace {

/// Rounded up; kUnlimited where that is more than the clock has.
Duration time_to_move(Int128 amount, Int128 rate) {
  const Int128 ns = (amount + rate - 1) / rate;
  return ns >= kUnlimited.count() ? kUnlimited : Duration{static_cast<std::int64_t>(ns)};
}

}  // namespace

void StoragePipe::begin(JobId j, Int128 amount, Int128 limit) {
  flows_[j] = {amount, limit, 0, {}, kNever};
  changed_ = true;
}

void StoragePipe::cancel(JobId j) { changed_ |= flows_.erase(j) > 0; }

SimTime StoragePipe::done_at(JobId j) const {
  const auto flow = flows_.find(j);
  return flow == flows_.end() ? kNever : flow->second.done;
}

Int128 StoragePipe::left(JobId j, SimTime now) const {
  const Flow& f = flows_.at(j);
  return std::max(f.left - f.rate * (now - f.since).count(), Int128{0});
}

std::vector<JobId> StoragePipe::take_done(SimTime now) {
  std::vector<JobId> done;
  for (const auto& [j, flow] : flows_)
    if (flow.done <= now) done.push_back(j);
  for (const JobId j : done) cancel(j);
  return done;
}

SimTime StoragePipe::next_done() const {
  SimTime next = kNever;
  for (const auto& [j, flow] : flows_) next = std::min(next, flow.done);
  return next;
}

/// Water filling: the narrowest first, each of which leaves to the others what it can't use.
Int128 StoragePipe::level(std::vector<Int128> limits) const {
  std::sort(limits.begin(), limits.end());
  Int128 left = rate_;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const Int128 share = std::max(left / static_cast<std::int64_t>(limits.size() - i), Int128{1});
    if (limits[i] > share) return share;
    left -= limits[i];
  }
  return rate_;
}

std::vector<JobId> StoragePipe::share_out(SimTime now) {
  changed_ = false;
  std::vector<Int128> limits;
  for (const auto& [j, flow] : flows_) limits.push_back(flow.limit);
  const Int128 share = level(std::move(limits));
  std::vector<JobId> moved;
  for (auto& [j, flow] : flows_) {
    const Int128 rate = std::min(flow.limit, share);
    if (rate == flow.rate) continue;
    if (flow.rate > 0) flow.left = left(j, now);
    flow.since = now;
    flow.rate = rate;
    const SimTime done = later(now, time_to_move(flow.left, rate));
    if (done != flow.done) moved.push_back(j);
    flow.done = done;
  }
  return moved;
}

Duration StoragePipe::would_take(JobId j, Int128 amount, Int128 limit) const {
  std::vector<Int128> limits{limit};
  for (const auto& [other, flow] : flows_)
    if (other != j) limits.push_back(flow.limit);
  return time_to_move(amount, std::min(limit, level(std::move(limits))));
}

}  // namespace muster
