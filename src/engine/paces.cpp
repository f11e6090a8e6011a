// Which ranks of a job are slower than the others, and what a step takes at their pace.

#include <algorithm>
#include <map>

#include "engine.hpp"
#include "muster/policy/job_steps.hpp"

namespace muster {
namespace {

constexpr double kMillion = 1e6;

GpuMask held_on(std::span<const Slice> where, NodeId node) {
  GpuMask gpus = 0;
  for (const Slice& s : where)
    if (node.value >= s.first.value && node.value < s.first.value + s.count) gpus |= s.gpus;
  return gpus;
}

}  // namespace

/// By node, those that are slow alike together. Of several things that slow a GPU the worst counts.
std::vector<PaceRecord::Rank> Stragglers::slow_ranks(const Running& running) const {
  std::vector<PaceRecord::Rank> ranks;
  const auto on_node = [&](NodeId node) {
    const GpuMask held = held_on(running.where, node);
    const double all = neighbours_ && crowded(node) ? neighbours_->slowdown : 1;
    std::map<double, GpuMask> by_slowdown;
    const auto episodes = slow_.find(node);
    for (GpuMask left = held; left != 0; left &= left - 1) {
      const GpuMask gpu = left & -left;
      double most = all;
      if (episodes != slow_.end())
        for (const Slow& slow : episodes->second)
          if (slow.gpus & gpu) most = std::max(most, slow.slowdown);
      if (most > 1) by_slowdown[most] |= gpu;
    }
    for (const auto& [slowdown, gpus] : by_slowdown) ranks.push_back({node, gpus, slowdown});
  };
  for (const Slice& s : running.where) {
    const NodeId last{s.first.value + s.count};
    if (neighbours_)
      for (NodeId n = s.first; n < last; n = NodeId{n.value + 1}) on_node(n);
    else
      for (auto at = slow_.lower_bound(s.first); at != slow_.end() && at->first < last; ++at)
        on_node(at->first);
  }
  return ranks;
}

void Engine::tell_paces() {
  for (const JobId j : disturbed_->stragglers->paced()) {
    const Stragglers::Running& running = *disturbed_->stragglers->running(j);
    const JobSteps::HerePtr step = steps_ ? steps_->here(j, running.where) : nullptr;
    const double alone_s = step ? step->us / kMillion : 0;
    observer_.paced({now_, j, running.slow, std::max(0.0, 1 - running.waits()),
                     alone_s * kMillion / std::max(1u, running.others.millionths)});
  }
}

}  // namespace muster
