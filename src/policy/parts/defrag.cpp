#include "muster/policy/parts/defrag.hpp"

#include <algorithm>

#include "muster/cluster/fit.hpp"

namespace muster {
namespace {

/// GPUs that one node must give to `d` at the least.
std::uint32_t least_on_a_node(const Demand& d, std::uint32_t width) {
  if (!d.tasks.empty()) return d.tasks.back();
  if (d.nodes > 0) return d.per_node == 0 ? width : d.per_node;
  if (d.gpus <= d.widest) return d.gpus;
  return d.gpus % d.widest == 0 ? d.widest : d.gpus % d.widest;
}

}  // namespace

void Defrag::add(const View& view, const RunningJob& r) {
  const auto where = view.placements.of(r.job);
  const Demand& d = view.demands[view.jobs.shape(r.job)];
  if (where.size() != 1 || where[0].count != 1 || d.milli != 1000) return;
  jobs_.push_back({r.job, where[0].first.value, where[0].gpus, &d});
}

/// Iterative deepening: all sequences of one move, then of two, ...; among those of equal length the
/// search is cut where more GPUs have been moved than in the best one so far.
void Defrag::search(const View& view, const Demand& d, std::int64_t most) {
  best_.clear();
  made_.clear();
  std::sort(jobs_.begin(), jobs_.end(), [](const Piece& a, const Piece& b) {
    return a.size() != b.size() ? a.size() < b.size() : a.job < b.job;
  });
  if (cluster_)
    *cluster_ = view.cluster;
  else
    cluster_.emplace(view.cluster);
  steps_ = 0;
  for (std::int64_t moves = 1; moves <= most && best_.empty() && steps_ < kMostSteps; ++moves) {
    best_gpus_ = UINT32_MAX;
    step(d, moves, 0);
  }
}

void Defrag::step(const Demand& d, std::int64_t left, std::uint32_t gpus) {
  for (Piece& p : jobs_) {
    if (p.moved) continue;
    if (gpus + p.size() >= best_gpus_) return;  // nor will the larger ones behind it do
    if (left == 1 && !may_help(d, p.node, p.size())) continue;
    const Slice from{NodeId{p.node}, 1, p.gpus};
    for (std::uint32_t n = 0; n < cluster_->fleet().nodes.size() && steps_ < kMostSteps; ++n) {
      if (!may_go(p, n)) continue;
      ++steps_;
      const Slice to{NodeId{n}, 1, lowest(cluster_->free(NodeId{n}), p.size())};
      cluster_->take({&to, 1});
      cluster_->give_back({&from, 1});
      made_.push_back({p.job, p.node, n, to.gpus});
      p.moved = true;
      if (left > 1) {
        step(d, left - 1, gpus + p.size());
      } else if (fits(*cluster_, d) && gpus + p.size() < best_gpus_) {
        best_ = made_;
        best_gpus_ = gpus + p.size();
      }
      p.moved = false;
      made_.pop_back();
      cluster_->take({&from, 1});
      cluster_->give_back({&to, 1});
    }
  }
}

/// Whether so many GPUs more on `node` can be what `d` still lacks.
bool Defrag::may_help(const Demand& d, std::uint32_t node, std::uint32_t more) const {
  const Fleet::Node& n = cluster_->fleet().nodes[NodeId{node}];
  return ((d.pools >> n.pool) & 1) != 0 &&
         count(cluster_->free(NodeId{node})) + more >= least_on_a_node(d, n.gpus);
}

bool Defrag::may_go(const Piece& p, std::uint32_t node) const {
  if (node == p.node) return false;
  const Fleet::Node& n = cluster_->fleet().nodes[NodeId{node}];
  if (((p.demand->pools >> n.pool) & 1) == 0) return false;
  const bool whole = p.demand->nodes > 0 && p.demand->per_node == 0;
  if (whole && n.gpus != p.size()) return false;
  return count(cluster_->free(NodeId{node})) >= p.size();
}

}  // namespace muster
