#include "core.hpp"

#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/policy/parts/predictor.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::cells {
namespace {

bool overlap(std::span<const Slice> a, std::span<const Slice> b) {
  for (const Slice& x : a)
    for (const Slice& y : b)
      if ((x.gpus & y.gpus) != 0 && x.first.value < y.first.value + y.count &&
          y.first.value < x.first.value + x.count)
        return true;
  return false;
}

bool out_of_service(const Cluster& c, std::span<const Slice> slices) {
  for (const Slice& s : slices)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      if (c.fenced(NodeId{n})) return true;
  return false;
}

/// Whether nobody holds `slices`, or as much of them as a share of `milli` needs.
bool are_free(const Cluster& c, std::span<const Slice> slices, std::uint32_t milli) {
  for (const Slice& s : slices)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      if ((c.free(NodeId{n}) & s.gpus) == s.gpus) continue;
      if (milli >= 1000) return false;
      const auto gpu = static_cast<std::uint32_t>(std::countr_zero(s.gpus));
      const auto taken = c.partly_taken().find(std::uint64_t{n} * 64 + gpu);
      if (taken == c.partly_taken().end() || taken->second < milli) return false;
    }
  return true;
}

}  // namespace

Core::Core(const Params& params) : params_(params) {
  for (const auto& [queue, cells] : params.virtual_clusters)
    assigned_[queue] = parse_cells(cells, "/policy/virtual_clusters/" + queue);
}

Planning Core::planning() const { return with_predictor(params_.planning); }

std::unique_ptr<Placer> Core::make_placer(std::uint64_t seed) const {
  return Placers::all().at(params_.placer).make(seed);
}

void Core::begin(const View& view, std::uint64_t seed) {
  placer_ = make_placer(seed);
  empty_.emplace(view.cluster);
  tree_.emplace(view.fleet);
  others_.begin(view.jobs.size(), view.demands.size());
  tenant_of_queue_ = IdVector<NameId, std::size_t>(view.jobs.names().size(), kOpportunistic);
  if (tree_->cell(0).size == 0) return;  // all GPUs are in MIG mode
  const bool one_for_all = assigned_.empty();
  if (one_for_all) assigned_[""] = {{1, {Level::fleet, 0, ""}}};
  for (const auto& [queue, cells] : assigned_) {
    tenants_.push_back(
        {VirtualCluster(queue, view.fleet, *tree_, cells, view.cluster.tracks_domains(),
                        "/policy/virtual_clusters/" + queue),
         {}});
    tenants_.back().waiting.begin(view.jobs.size(), view.demands.size());
    idle_.push_back(tenants_.back().cluster.cluster());
  }
  for (std::uint32_t n = 0; n < tenant_of_queue_.size(); ++n) {
    const auto at = assigned_.find(one_for_all ? "" : std::string{view.jobs.names()[NameId{n}]});
    if (at != assigned_.end())
      tenant_of_queue_[NameId{n}] = static_cast<std::size_t>(std::distance(assigned_.begin(), at));
  }
  check_room();
}

/// All cells of all tenants are there at once.
void Core::check_room() const {
  CellTree tree = *tree_;
  for (Tenant t : tenants_)
    if (!t.cluster.bind_all(tree, *empty_))
      throw InputError(
          "/policy/virtual_clusters",
          "the fleet does not have all of these cells: there is no room for those of " +
              t.cluster.name() + " beside the others",
          "assign fewer; muster fleet show lists the domains of each level");
}

/// MIG instances are in no cell; low qos makes room for everybody.
std::size_t Core::tenant_of(const View& view, JobId j) const {
  const Qos qos = view.jobs.qos(j);
  if (demand(view, j).mig != 0 || qos == Qos::best_effort || qos == Qos::spot)
    return kOpportunistic;
  return tenant_of_queue_[view.jobs.queue(j)];
}

const Demand& Core::own_demand(const View& view, std::size_t tenant, ShapeId shape) {
  const auto [at, fresh] = own_demands_.try_emplace({tenant, shape});
  if (fresh) at->second = tenants_[tenant].cluster.adapted(view.demands[shape]);
  return at->second;
}

std::optional<Rejection> Core::refuse(const View& view, JobId j) {
  if (auto rejection = never_fits(view, *empty_, j)) return rejection;
  const std::size_t tenant = tenant_of(view, j);
  if (tenant != kOpportunistic &&
      !fits(idle_[tenant], own_demand(view, tenant, view.jobs.shape(j)))) {
    const VirtualCluster& own = tenants_[tenant].cluster;
    return Rejection{j, "exceeds_virtual_cluster",
                     "job " + std::string{view.jobs.id_text(j)} + " needs " +
                         describe(demand(view, j)) + ", virtual cluster " + own.name() + " is " +
                         text_of(assigned_.at(own.name()))};
  }
  placer_->submitted(demand(view, j), view.fleet);
  return std::nullopt;
}

void Core::decide(const View& view, Plan& plan) {
  if (++pass_ == 1) warn_of_unknown_queues(view, plan);
  absorb(view);
  for (Tenant& t : tenants_) t.cluster.begin_pass(*tree_, view.cluster, view.calendar != nullptr);
  start_granted(view, plan);
  for (std::size_t t = 0; t < tenants_.size(); ++t) start_guaranteed(view, plan, t);
  start_opportunistic(view, plan);
  explain_shapes(view, plan);
}

void Core::absorb(const View& view) {
  for (const RunningJob& r : view.ended) {
    Member& m = members_.at(r.job);
    give_back(view, r.job, m);
    lent_.erase(r.job);
    m.state = Member::State::leaving;
  }
  for (const JobId j : view.left) {
    Member& m = members_.at(j);
    if (m.state == Member::State::waiting) queue(m.tenant).remove(view.jobs.shape(j), j);
    give_back(view, j, m);
    granted_.erase(j);
    members_.erase(j);
  }
  for (const JobId j : view.joined) {
    Member& m = members_[j];
    m.tenant = tenant_of(view, j);
    enqueue(view, j, m);
  }
  // Those that have not come back from their grace time have ended for good.
  for (const RunningJob& r : view.ended)
    if (const auto at = members_.find(r.job);
        at != members_.end() && at->second.state == Member::State::leaving)
      members_.erase(at);
}

void Core::enqueue(const View& view, JobId j, Member& m) {
  m.state = Member::State::waiting;
  queue(m.tenant).add(
      {-std::int64_t{view.jobs.priority(j)}, j, view.jobs.shape(j), view.jobs.planned(j)});
}

void Core::give_back(const View& view, JobId j, Member& m) {
  if (m.own.empty()) return;
  tenants_[m.tenant].cluster.give_back(*tree_, m.own, demand(view, j).milli);
  m.own.clear();
  m.slices.clear();
}

/// The first job that has not been found to have no place in this pass.
const Waiting* Core::next(const View& view, WaitingQueue& queue, bool skip) const {
  if (queue.empty()) return nullptr;
  if (!skip) {
    const Waiting& head = queue.all().front();
    return queue.line(view.jobs.shape(head.job)).dead_in_pass == pass_ ? nullptr : &head;
  }
  const Waiting* best = nullptr;
  for (const ShapeId s : queue.shapes()) {
    const WaitingQueue::Line& line = queue.line(s);
    if (line.dead_in_pass != pass_ && (!best || line.jobs.front() < *best))
      best = &line.jobs.front();
  }
  return best;
}

/// Those for whom others were told to go, and have gone.
void Core::start_granted(const View& view, Plan& plan) {
  for (auto at = granted_.begin(); at != granted_.end();) {
    const JobId j = *at++;
    Member& m = members_.at(j);
    if (out_of_service(view.cluster, m.slices)) {
      granted_.erase(j);
      give_back(view, j, m);
      enqueue(view, j, m);
      continue;
    }
    if (!are_free(view.cluster, m.slices, demand(view, j).milli)) continue;
    granted_.erase(j);
    run(view, plan, j, m, m.slices);
  }
}

void Core::run(const View& view, Plan& plan, JobId j, Member& m, std::span<const Slice> slices) {
  if (m.state == Member::State::waiting) queue(m.tenant).remove(view.jobs.shape(j), j);
  m.state = Member::State::running;
  if (m.tenant == kOpportunistic) lent_.insert(j);
  plan.start(j, slices);
}

void Core::start_guaranteed(const View& view, Plan& plan, std::size_t tenant) {
  WaitingQueue& waiting = tenants_[tenant].waiting;
  while (const Waiting* w = next(view, waiting, params_.skip)) {
    const JobId j = w->job;
    if (!grant(view, plan, j, members_.at(j)))
      waiting.line(view.jobs.shape(j)).dead_in_pass = pass_;
  }
}

/// GPUs of its virtual cluster, and those who are on them out of the way.
bool Core::grant(const View& view, Plan& plan, JobId j, Member& m) {
  const Demand& d = own_demand(view, m.tenant, view.jobs.shape(j));
  if (!tenants_[m.tenant].cluster.take(*tree_, view.cluster, d, *placer_, m.own, m.slices)) {
    m.own.clear();
    return false;
  }
  placer_->started();
  if (are_free(view.cluster, m.slices, d.milli) || make_room(view, plan, j, m)) {
    run(view, plan, j, m, m.slices);
    return true;
  }
  queue(m.tenant).remove(view.jobs.shape(j), j);
  m.state = Member::State::granted;
  granted_.insert(j);
  return true;
}

/// True: what `m` was granted is free now. False: it will be, after grace times.
bool Core::make_room(const View& view, Plan& plan, JobId j, const Member& m) {
  std::vector<JobId> victims;
  for (const JobId other : lent_)
    if (overlap(view.placements.of(other), m.slices)) victims.push_back(other);
  for (const JobId v : victims) {
    Member& victim = members_.at(v);
    lent_.erase(v);
    if (plan.preempt(v, j, params_.preemption))
      enqueue(view, v, victim);
    else
      victim.state = Member::State::leaving;
  }
  return are_free(view.cluster, m.slices, demand(view, j).milli);
}

/// Takes what is free of granted GPUs, and of bound cells if asked to, out of `cluster`.
void Core::keep_off(Cluster& cluster, bool bound_cells) const {
  const auto take = [&](std::uint32_t n, GpuMask gpus) {
    const GpuMask free = cluster.free(NodeId{n}) & gpus;
    if (free == 0) return true;
    const Slice s{NodeId{n}, 1, free};
    cluster.take({&s, 1});
    return true;
  };
  for (const JobId j : granted_)
    for (const Slice& s : members_.at(j).slices)
      for (std::uint32_t i = 0; i < s.count; ++i) take(s.first.value + i, s.gpus);
  if (!bound_cells) return;
  for (const Tenant& t : tenants_)
    for (std::size_t i = 0; i < t.cluster.cells(); ++i)
      if (t.cluster.bound(i) != CellTree::kNone) tree_->each_node(t.cluster.bound(i), take);
}

void Core::start_opportunistic(const View& view, Plan& plan) {
  if (others_.empty()) return;
  Cluster away = view.cluster;
  Cluster anywhere = view.cluster;
  keep_off(away, true);
  keep_off(anywhere, false);
  while (const Waiting* w = next(view, others_, true)) {
    const JobId j = w->job;
    const Demand& d = demand(view, j);
    const bool here = placer_->place(away, d, slices_);
    if (!here && !placer_->place(anywhere, d, slices_)) {
      others_.line(view.jobs.shape(j)).dead_in_pass = pass_;
      continue;
    }
    anywhere.take(slices_, d.milli);
    if (here) {
      away.take(slices_, d.milli);
    } else {
      away = anywhere;
      keep_off(away, true);
    }
    placer_->started();
    run(view, plan, j, members_.at(j), slices_);
  }
}

}  // namespace muster::cells
