// A job goes on though a node of it has failed: with another one in its place, or without it.

#include <algorithm>
#include <map>

#include "engine.hpp"

namespace muster {
namespace {

bool among(const std::vector<NodeId>& nodes, NodeId n) {
  return std::find(nodes.begin(), nodes.end(), n) != nodes.end();
}

}  // namespace

/// From its last completed checkpoint. False: it has to wait again.
bool Engine::go_on(JobId j, const std::vector<NodeId>& failed, std::size_t cause,
                   bool back_at_once) {
  const OutagePlan::Reaction& reaction = availability_->plan.reaction;
  Live& s = live_[j];
  if ((!reaction.swap && !reaction.shrink) || s.hung || s.stop_from != kNever || s.entry.made ||
      demands_[workload_.shape[j]].milli < 1000)
    return false;
  if (beside_.contains(j) && (back_at_once || reaction.shrink)) return false;  // who shares GPUs
  if (!back_at_once) return reaction.shrink ? shrink(j, failed, cause) : swap_in(j, failed, cause);
  const auto held = placements_.of(j);
  s.mode = PreemptMode::requeue;
  s.ran = true;
  go_on_at(j, {held.begin(), held.end()}, next_overhead(j), cause, restore_time(j));
  return true;
}

/// Others take the places of its nodes that have failed. False if there are not enough.
bool Engine::swap_in(JobId j, const std::vector<NodeId>& failed, std::size_t cause) {
  Availability& a = *availability_;
  Live& s = live_[j];
  std::vector<Slice> after;
  std::vector<std::pair<NodeId, NodeId>>
      chosen;  // of one that has failed, and what takes its place
  std::vector<NodeId> out = failed;
  Duration activation{};
  for (const Slice& held : placements_.of(j))
    for (std::uint32_t n = held.first.value; n < held.first.value + held.count; ++n) {
      NodeId node{n};
      if (std::binary_search(failed.begin(), failed.end(), node)) {
        if (const Availability::StandIn* stand_in = stands_in(j, node, held.gpus, out)) {
          node = stand_in->node;
          activation = std::max(activation, stand_in->activation);
        } else {
          const auto other = replacement(j, node, out);
          if (!other) return false;
          chosen.emplace_back(node, *other);
          node = *other;
        }
        out.push_back(node);
      }
      after.push_back({node, 1, held.gpus});
    }
  std::sort(after.begin(), after.end(),
            [](const Slice& x, const Slice& y) { return x.first < y.first; });
  for (const auto& [from, to] : chosen) {
    const Duration takes = a.nodes[to].cold ? a.plan.reaction.activation : Duration{};
    activation = std::max(activation, takes);
    a.stand_ins[from] = {to, now_, takes};
    take_over(to, j);
  }
  s.mode = PreemptMode::requeue;
  s.ran = true;
  go_on_at(j, after, next_overhead(j) + activation, cause, restore_time(j));
  return true;
}

/// Whether `n` is like the node that has failed, and near enough to the others of the job.
bool Engine::like(NodeId n, NodeId failed, JobId j) const {
  const Fleet::Node &node = fleet_.nodes[n], &other = fleet_.nodes[failed];
  if (node.pool != other.pool || node.gpus != other.gpus) return false;
  const auto held = placements_.of(j);
  if (held.size() == 1 && held[0].count == 1) return true;
  // What fits one node of the widest type requires nothing there, but may run on several of another one.
  const ShapeId shape = workload_.shape[j];
  const Level asked = workload_.shapes[shape].required;
  const Level near =
      std::min(demands_[shape].required, asked == Level::node ? Level::fleet : asked);
  const auto level = static_cast<std::size_t>(std::min(near, Level::fabric));
  return fleet_.domain_of[level][n] == fleet_.domain_of[level][failed];
}

/// The node that another job of the failed one has just gone to, if there is room for `j` as well.
const Availability::StandIn* Engine::stands_in(JobId j, NodeId failed, GpuMask gpus,
                                               const std::vector<NodeId>& out) const {
  const auto at = availability_->stand_ins.find(failed);
  if (at == availability_->stand_ins.end() || at->second.since != now_) return nullptr;
  const NodeId n = at->second.node;
  const bool room = (cluster_.free(n) & gpus) == gpus;
  return room && like(n, failed, j) && !among(out, n) ? &at->second : nullptr;
}

/// For one that has failed: a spare like it, hot ones first, or else one that others make way on.
std::optional<NodeId> Engine::replacement(JobId j, NodeId failed,
                                          const std::vector<NodeId>& out) const {
  const Availability& a = *availability_;
  std::optional<NodeId> cold;
  if (!a.plan.spares.empty())
    for (const NodeId spare : a.calendar.find(a.spares)->nodes) {
      const bool like_it = a.nodes[spare].service == Service::spare && like(spare, failed, j) &&
                           !among(out, spare) &&
                           jobs_on({spare}).empty();  // one that was hit there may not know yet
      if (like_it && !a.nodes[spare].cold) return spare;
      if (like_it && !cold) cold = spare;
    }
  return cold || !a.plan.reaction.evict ? cold : yielding(j, failed, out);
}

/// A node that is idle, or whose jobs are all less urgent and can go at once: the least urgent and latest
/// ones (CONVENTIONS C7). Nothing may be known of its future.
std::optional<NodeId> Engine::yielding(JobId j, NodeId failed,
                                       const std::vector<NodeId>& out) const {
  struct Held {
    GpuMask gpus = 0;
    bool stays = false;
    std::tuple<std::int32_t, SimTime, JobId> first;  // the last whom one would evict there
  };
  std::map<NodeId, Held> held;
  running_.each([&](const RunningJob& r) {
    const auto rank = std::tuple{-Workload::at_or(workload_.priority, r.job, 0), r.start, r.job};
    for (const Slice& s : placements_.of(r.job))
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
        Held& h = held[NodeId{n}];
        h.first = h.gpus == 0 ? rank : std::min(h.first, rank);
        h.gpus |= s.gpus;
        h.stays |= !yields(r.job, j);
      }
    return true;
  });
  std::vector<bool> known(fleet_.nodes.size(), false);
  for (const Window& w : availability_->calendar.windows())
    for (const NodeId n : w.nodes) known[n.value] = true;
  std::optional<NodeId> best;
  for (std::uint32_t i = 0; i < fleet_.nodes.size(); ++i) {
    const NodeId n{i};
    if (known[i] || !like(n, failed, j) || among(out, n)) continue;
    const auto at = held.find(n);
    const GpuMask gpus = at == held.end() ? 0 : at->second.gpus;
    // What nobody has and is not free either belongs to a gang that is not complete.
    if ((gpus | cluster_.free(n)) != first_gpus(fleet_.nodes[n].gpus)) continue;
    if (at == held.end()) return n;
    if (!at->second.stays && (!best || at->second.first > held[*best].first)) best = n;
  }
  return best;
}

/// Whether `victim` would make way for `j`, and at once.
bool Engine::yields(JobId victim, JobId j) const {
  const Live& s = live_[victim];
  return Workload::at_or(workload_.priority, victim, 0) <
             Workload::at_or(workload_.priority, j, 0) &&
         Workload::at_or(workload_.grace, victim, Duration{}) == Duration{} && !s.hung &&
         s.stop_from == kNever;
}

/// Whoever is on `n` goes, or it is a spare no more.
void Engine::take_over(NodeId n, JobId j) {
  Availability& a = *availability_;
  for (const JobId victim : jobs_on({n})) {
    live_[victim].by = j;
    live_[victim].mode = PreemptMode::requeue;
    stop(victim, true);
  }
  if (!a.nodes[n].spare) return;
  std::vector<NodeId> spares = a.calendar.find(a.spares)->nodes;
  std::erase(spares, n);
  a.calendar.change(a.spares, std::move(spares));
  a.nodes[n].spare = a.nodes[n].cold = false;
  ++spares_used_;
  serve(n);
}

/// An elastic job goes on with the nodes that it has left, if they are enough for it.
bool Engine::shrink(JobId j, const std::vector<NodeId>& failed, std::size_t cause) {
  const Sizes range = jobs_.sizes(j);
  std::vector<Slice> after;
  for (const Slice& held : placements_.of(j))
    for (std::uint32_t n = held.first.value; n < held.first.value + held.count; ++n)
      if (!std::binary_search(failed.begin(), failed.end(), NodeId{n}))
        after.push_back({NodeId{n}, 1, held.gpus});
  if (!range.elastic() || after.empty() || gpus_in(after) < range.least) return false;
  go_on_at(j, after, std::max(planning_.restart_cost, Duration{}), cause);
  return true;
}

/// It goes on at `after` from its last completed checkpoint, after `overhead`, of which so much is for reading
/// that.
void Engine::go_on_at(JobId j, const std::vector<Slice>& after, Duration overhead,
                      std::size_t cause, Duration read) {
  Live& s = live_[j];
  const std::vector<Slice> before(placements_.of(j).begin(), placements_.of(j).end());
  const Spent run = spent(j, now_);
  availability_->hung[j] = cause;
  note_interruption(j, run.work - run.saved);
  running_.erase(s.entry);
  cluster_.give_back(before);
  cluster_.take(after);
  placements_.recycle(j);
  placements_.assign(j, after);
  move_run(j, before, overhead, run.saved, kNoJob, Mover::outage, 0, read);
  s.entry.milli = std::int64_t{gpus_in(after)} * 1000;
  enter_run(j);
  part(j);
}

/// A node that was repaired takes the place of a spare that is in use.
void Engine::return_spare(NodeId n) {
  Availability& a = *availability_;
  if (a.nodes[n].down > 0 || a.nodes[n].maintenance > 0) return;
  std::vector<NodeId> spares = a.calendar.find(a.spares)->nodes;
  spares.insert(std::lower_bound(spares.begin(), spares.end(), n), n);
  a.calendar.change(a.spares, std::move(spares));
  a.nodes[n].spare = true;
  --spares_used_;
}

}  // namespace muster
