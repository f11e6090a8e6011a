#include "stragglers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "muster/topology/fleet.hpp"

namespace muster {
namespace {

constexpr double kMillion = 1e6;

std::uint32_t millionths(double share) {
  return static_cast<std::uint32_t>(std::llround(kMillion * share));
}

bool holds(std::span<const Slice> where, NodeId node, GpuMask gpus) {
  return std::any_of(where.begin(), where.end(), [&](const Slice& s) {
    return node.value >= s.first.value && node.value < s.first.value + s.count && (s.gpus & gpus);
  });
}

/// Calls f for each node of a placement.
template <class F>
void each_node(std::span<const Slice> where, F f) {
  for (const Slice& s : where)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) f(NodeId{n}, s.gpus);
}

}  // namespace

Stragglers::Stragglers(std::unique_ptr<Contention> others, const Fleet& fleet,
                       const Disturbances& plan)
    : fleet_(fleet), others_(std::move(others)) {
  for (const Disturbances::Cause& cause : plan.causes)
    if (cause.of == Disturbances::Of::neighbours) neighbours_ = &cause;
}

void Stragglers::begin(const Slow& slow) {
  slow_[slow.node].push_back(slow);
  look_again(slow.node);
}

bool Stragglers::end(NodeId node, std::uint32_t episode) {
  const auto at = slow_.find(node);
  if (at == slow_.end()) return false;
  if (std::erase_if(at->second, [&](const Slow& s) { return s.episode == episode; }) == 0)
    return false;
  if (at->second.empty()) slow_.erase(at);
  look_again(node);
  return true;
}

/// Whose pace may have changed.
void Stragglers::look_again(NodeId node) {
  for (const auto& [job, running] : running_)
    if (holds(running.where, node, ~GpuMask{0})) touched_.push_back(job);
}

const Stragglers::Running* Stragglers::running(JobId job) const {
  const auto at = running_.find(job);
  return at == running_.end() ? nullptr : &at->second;
}

bool Stragglers::crowded(NodeId node) const {
  const auto at = tenants_.find(node);
  return at != tenants_.end() && at->second > 1;
}

double Stragglers::slowdown_on(JobId job, NodeId node) const {
  const Running* r = running(job);
  double most = 1;
  if (const auto at = slow_.find(node); r && at != slow_.end())
    for (const Slow& s : at->second)
      if (holds(r->where, node, s.gpus)) most = std::max(most, s.slowdown);
  if (neighbours_ && crowded(node)) most = std::max(most, neighbours_->slowdown);
  return most;
}

/// The pace of its slowest GPU; which says what makes it slow, null if its neighbours do.
double Stragglers::slowest(const Running& running, const Slow** which) const {
  double most = 1;
  for (const Slice& s : running.where) {
    const NodeId last{s.first.value + s.count};
    for (auto at = slow_.lower_bound(s.first); at != slow_.end() && at->first < last; ++at)
      for (const Slow& slow : at->second)
        if ((slow.gpus & s.gpus) && slow.slowdown > most) {
          most = slow.slowdown;
          if (which) *which = &slow;
        }
  }
  if (neighbours_ && neighbours_->slowdown > most)
    each_node(running.where, [&](NodeId n, GpuMask) {
      if (!crowded(n)) return;
      most = neighbours_->slowdown;
      if (which) *which = nullptr;
    });
  return most;
}

void Stragglers::came(JobId job, std::span<const Slice> where) {
  if (others_) others_->came(job, where);
  Running& r = running_[job];
  r = {};
  r.where.assign(where.begin(), where.end());
  for (const Slice& s : where) r.nodes += s.count;
  r.others = r.said = {job, static_cast<std::uint32_t>(kMillion), {}};
  touched_.push_back(job);
  if (!neighbours_ || neighbours_->slowdown <= 1) return;
  each_node(where, [&](NodeId n, GpuMask) {
    if (++tenants_[n] == 2) look_again(n);
  });
}

void Stragglers::went(JobId job, std::span<const Slice> where) {
  if (others_) others_->went(job, where);
  running_.erase(job);
  if (!neighbours_) return;
  each_node(where, [&](NodeId n, GpuMask) {
    const auto at = tenants_.find(n);
    if (at == tenants_.end()) return;
    if (--at->second == 1) look_again(n);
    if (at->second == 0) tenants_.erase(at);
  });
}

void Stragglers::links(std::span<const std::uint32_t> links, double health) {
  if (others_) others_->links(links, health);
}

double Stragglers::Running::waits() const {
  return others.split.communicating / kMillion + others.split.stalled / kMillion;
}

/// What computes takes longer; the GPUs that are not slow wait for that time.
Contention::Factor Stragglers::together(const Running& r) {
  const double takes = 1 + std::max(0.0, 1 - r.waits()) * (r.slowdown - 1);
  if (takes <= 1) return r.others;
  Factor f = r.others;
  f.millionths = std::max(1u, millionths(f.millionths / kMillion / takes));
  f.split.communicating = millionths(f.split.communicating / kMillion / takes);
  f.split.stalled = millionths(f.split.stalled / kMillion / takes);
  f.split.straggling = millionths(1 - (1 - f.split.straggling / kMillion) / takes);
  return f;
}

std::span<const Contention::Factor> Stragglers::changes() {
  if (others_)
    for (const Factor& f : others_->changes())
      if (const auto at = running_.find(f.job); at != running_.end()) {
        at->second.others = f;
        touched_.push_back(f.job);
      }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  changes_.clear();
  paced_.clear();
  for (const JobId job : touched_) {
    const auto at = running_.find(job);
    if (at == running_.end()) continue;
    Running& r = at->second;
    std::vector<PaceRecord::Rank> slow = slow_ranks(r);
    if (slow != r.slow || !slow.empty()) paced_.push_back(job);
    r.slow = std::move(slow);
    r.slowdown = slowest(r, nullptr);
    const Factor now = together(r);
    if (now.millionths == r.said.millionths && now.split == r.said.split) continue;
    r.said = now;
    changes_.push_back(now);
  }
  touched_.clear();
  return changes_;
}

std::vector<Contention::Term> Stragglers::terms(JobId job) const {
  std::vector<Term> terms = others_ ? others_->terms(job) : std::vector<Term>{};
  const Running* r = running(job);
  if (!r) return terms;
  const Slow* which = nullptr;
  if (slowest(*r, &which) <= 1) return terms;
  if (terms.empty()) terms.push_back({"computing", 1, "what the trace says"});
  double units = 0;
  for (const Term& t : terms) units += t.units;
  const double takes = static_cast<double>(r->others.millionths) / std::max(1u, r->said.millionths);
  std::array<char, 64> times{};
  std::snprintf(times.data(), times.size(), "%.4g times as long", r->slowdown);
  const std::string who =
      which ? which->cause->name + ": some of its GPUs on " + fleet_.node_name(which->node)
            : neighbours_->name + ": other jobs on its nodes make them";
  terms.push_back({"slowest GPU", units * (takes - 1), who + " compute " + times.data()});
  return terms;
}

PlacementCost::Price Stragglers::price(const Demand& d, std::span<const Slice> where) {
  return others_ ? others_->price(d, where) : Price{};
}

}  // namespace muster
