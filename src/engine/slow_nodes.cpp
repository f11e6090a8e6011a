// Nodes that are found slower than the others of their job, and what is done about them.

#include <algorithm>

#include "engine.hpp"

namespace muster {
namespace {

using Reaction = Disturbances::Detection::Reaction;

constexpr std::uint32_t kFewest = 3;  // nodes: of two nobody can say which is slow

}  // namespace

/// Whether anything was done.
bool Engine::look_for_slow() {
  std::vector<std::pair<JobId, NodeId>> found;
  StragglerCounts& counts = summary_.stragglers;
  for (const auto& [job, running] : disturbed_->stragglers->all()) {
    if (running.nodes < kFewest || live_[job].stop_from != kNever) continue;
    const NodeId slow = slowest_found(job, running);
    if (slow == NodeId{UINT32_MAX}) continue;
    found.emplace_back(job, slow);
    const bool truly = disturbed_->stragglers->slowdown_on(job, slow) > 1;
    ++(truly ? counts.alarms : counts.false_alarms);
  }
  bool acted = false;
  for (const auto& [job, slow] : found) acted |= react(job, slow);
  return acted;
}

/// What the nodes of a job computed for per step is known with some error. The slowest of them, if it is
/// above their median by more than the threshold.
NodeId Engine::slowest_found(JobId j, const Stragglers::Running& running) {
  const Disturbances::Detection& d = disturbed_->plan.detection;
  std::vector<double> times;
  NodeId slow{UINT32_MAX};
  double most = 0;
  for (const Slice& s : running.where)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      const double took = disturbed_->stragglers->slowdown_on(j, NodeId{n}) *
                          (1 + d.noise * disturbed_->looks.normal());
      times.push_back(took);
      if (took <= most) continue;
      most = took;
      slow = NodeId{n};
    }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return most > *middle * (1 + d.threshold) ? slow : NodeId{UINT32_MAX};
}

bool Engine::react(JobId j, NodeId slow) {
  switch (disturbed_->plan.detection.reaction) {
    case Reaction::leave:
      return false;
    case Reaction::replace:
      return replace_node(j, slow);
    case Reaction::exclude:
      break;
  }
  if (cluster_.fenced(slow)) return false;  // another job has found it too
  exclude_node(slow);
  return true;
}

/// The job writes a checkpoint and goes on with another node in the place of this one, if there is one.
bool Engine::replace_node(JobId j, NodeId slow) {
  Live& s = live_[j];
  if (s.hung || s.entry.made || demands_[workload_.shape[j]].milli < 1000) return false;
  const auto held = placements_.of(j);
  const std::vector<Slice> before{held.begin(), held.end()};
  std::vector<Slice> after;
  for (const Slice& slice : before)
    for (std::uint32_t n = slice.first.value; n < slice.first.value + slice.count; ++n) {
      const NodeId other = NodeId{n} == slow ? instead_of(slow, slice.gpus, before) : NodeId{n};
      if (other == NodeId{UINT32_MAX}) return false;
      after.push_back({other, 1, slice.gpus});
    }
  std::sort(after.begin(), after.end(),
            [](const Slice& x, const Slice& y) { return x.first < y.first; });
  running_.erase(s.entry);
  cluster_.give_back(before);
  cluster_.take(after);
  placements_.recycle(j);
  placements_.assign(j, after);
  s.mode = PreemptMode::checkpoint;
  s.ran = true;
  const Duration through_storage =
      restore_time(j) + (writes_shared(j) ? checkpoint_cost(j) - stops_for(j) : Duration{});
  move_run(j, before, next_overhead(j) + checkpoint_cost(j), spent(j, now_).work, kNoJob,
           Mover::found_slow, 0, through_storage);
  enter_run(j);
  part(j);
  repriced_ = true;  // policies look again at what they had planned around it
  ++summary_.stragglers.replaced;
  return true;
}

/// A node like it that has these GPUs free, that the job is not on and that is kept for nobody: one of the
/// same leaf, or else the first.
NodeId Engine::instead_of(NodeId slow, GpuMask gpus, std::span<const Slice> held) const {
  const auto leaf = fleet_.domain_of[static_cast<std::size_t>(Level::leaf)];
  const auto kept = [&](NodeId n) {
    if (!availability_) return false;
    const auto windows = availability_->calendar.windows();
    return std::any_of(windows.begin(), windows.end(), [&](const Window& w) {
      return std::binary_search(w.nodes.begin(), w.nodes.end(), n);
    });
  };
  const auto on = [&](NodeId n) {
    return std::any_of(held.begin(), held.end(), [&](const Slice& s) {
      return n.value >= s.first.value && n.value < s.first.value + s.count;
    });
  };
  NodeId first{UINT32_MAX};
  for (std::uint32_t i = 0; i < fleet_.nodes.size(); ++i) {
    const NodeId n{i};
    const Fleet::Node &node = fleet_.nodes[n], &like = fleet_.nodes[slow];
    if (n == slow || node.pool != like.pool || node.gpus != like.gpus ||
        (cluster_.free(n) & gpus) != gpus || kept(n) || on(n))
      continue;
    if (leaf[n] == leaf[slow]) return n;
    if (first == NodeId{UINT32_MAX}) first = n;
  }
  return first;
}

/// Whoever is on it writes a checkpoint and waits again; it is out of service for a while.
void Engine::exclude_node(NodeId slow) {
  const std::size_t cause = availability_->cause("found slow");
  for (const JobId j : jobs_on({slow})) {
    Live& s = live_[j];
    if (s.hung) continue;  // its node has failed, and it has nothing to keep
    s.slow = true;
    s.by = kNoJob;
    s.mode = PreemptMode::checkpoint;
    stop(j, true);
    ++summary_.stragglers.stopped;
  }
  const SimTime to = later(now_, disturbed_->plan.detection.exclude_for);
  const std::size_t number = disturbed_->exclusions.size();
  disturbed_->exclusions.push_back(
      {slow, leave(Window::Kind::maintenance, now_, to, {slow}, 0, cause)});
  push_disturbance(to, Disturbed::returns, number);
  ++summary_.stragglers.excluded;
}

}  // namespace muster
