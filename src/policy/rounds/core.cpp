#include "core.hpp"

#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/core/multiples.hpp"
#include "muster/policy/parts/planning.hpp"
#include "muster/policy/parts/predictor.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::rounds {

Core::Core(const Params& params) : params_(params) {
  if (params.round < std::chrono::seconds{1})
    throw InputError("/policy/round", "expected a second or more", "for example round=6min");
  for (const auto& [name, list] :
       {std::pair{"prices", &params.prices}, {"weights", &params.weights}})
    for (const auto& [key, value] : *list)
      if (value <= 0)
        throw InputError(std::string{"/policy/"} + name + "/" + key, "expected a number above 0");
  objective_ = Objectives::all().at(params.objective).make();
  if (!objective_->by_estimates())
    refuse_idle_estimate(params.planning, "objective=" + params.objective);
}

Planning Core::planning() const {
  Planning p = with_predictor(params_.planning);
  p.by_estimates = objective_->by_estimates();
  return p;
}

std::unique_ptr<Placer> Core::make_placer(std::uint64_t seed) const {
  return Placers::all().at(params_.placer).make(seed);
}

void Core::begin(const View& view, std::uint64_t seed) {
  placer_ = make_placer(seed);
  empty_.emplace(view.cluster);
  places_.resize(view.demands.size());
  members_.begin(view.jobs.size());
  waiting_.begin(view.demands.size());
  for (const Fleet::Pool& pool : view.fleet.pools) {
    const auto price = params_.prices.find(pool.gpu_type);
    prices_.push_back(price == params_.prices.end() ? 1 : static_cast<double>(price->second));
  }
}

std::optional<Rejection> Core::refuse(const View& view, JobId j) {
  if (auto rejection = never_fits(view, *empty_, j)) return rejection;
  const ShapeId shape = view.jobs.shape(j);
  const std::vector<Place>& places = places_of(view, j);
  if (std::none_of(places.begin(), places.end(), [](const Place& p) { return p.possible; }))
    return Rejection{j, "exceeds_gpu_type",
                     "job " + std::string{view.jobs.id_text(j)} + " needs " +
                         describe(view.demands[shape]) +
                         " of one type, and there are not so many of any"};
  placer_->submitted(view.demands[shape], view.fleet);
  return std::nullopt;
}

const std::vector<Core::Place>& Core::places_of(const View& view, JobId j) {
  std::vector<Place>& places = places_[view.jobs.shape(j)];
  for (std::size_t t = places.size(); t < view.fleet.pools.size(); ++t) {
    const Demand d = resolve(view.jobs.asks(j), view.jobs.names(), view.fleet, params_.cutting,
                             PoolMask{1} << t);
    places.push_back({d, d.pools != 0 && fits(*empty_, d)});
  }
  return places;
}

void Core::decide(const View& view, Plan& plan) {
  absorb(view);
  if (!members_.empty() && view.now >= next_) {
    hold_round(view, plan);
    began_ = view.now;
    next_ = multiple_after(view.now, params_.round);
  } else {
    start_late(view, plan);
  }
  explain_shapes(view, plan);
  if (members_.empty() || asked_ >= next_) return;
  asked_ = next_;
  plan.wake_at(next_);
}

void Core::absorb(const View& view) {
  const bool idle = members_.empty();
  const auto remove = [&](JobId j) {
    deadlines_ -= view.jobs.deadline(j) != kNever;
    late_.erase(j);
    members_.remove(j);
    changed_ = true;
  };
  for (const RunningJob& r : view.ended) {
    Member& m = members_.of(r.job);
    count(view, m);
    m.state = Member::State::gone;
    holding_.erase(r.job);
  }
  for (const JobId j : view.left) {
    changed_ = true;
    if (!members_.has(j)) continue;
    if (const Member& m = members_.of(j); m.state == Member::State::waiting)
      waiting_.erase(m.shape, j);
    remove(j);
  }
  for (const JobId j : view.joined) {
    const bool fresh = !members_.has(j);
    Member& m = fresh ? members_.add(j) : members_.of(j);
    m.state = Member::State::waiting;
    m.shape = view.jobs.shape(j);
    waiting_.insert(m.shape, j);
    if (m.chosen != Member::kNone) late_.insert(j);
    if (!fresh) continue;  // back from its grace time
    m.shares.assign(view.fleet.pools.size(), {});
    deadlines_ += view.jobs.deadline(j) != kNever;
    changed_ = true;
  }
  for (const RunningJob& r : view.ended)
    if (members_.has(r.job) && members_.of(r.job).state == Member::State::gone) remove(r.job);
  if (!idle) return;
  // Rounds begin at multiples of their length, whoever comes when.
  next_ = next_multiple(view.now, params_.round);
}

/// What it has had up to now.
void Core::count(const View& view, Member& m) {
  if (m.state == Member::State::running || m.state == Member::State::leaving) {
    m.shares[m.type].had += view.now - m.since;
    const SimTime worked_from = std::max(m.since, std::min(m.working, view.now));
    if (m.isolated_throughput > 0)
      m.isolated +=
          seconds(view.now - worked_from) * speed(view, m, m.type) / m.isolated_throughput;
  }
  m.since = view.now;
}

void Core::start(const View& view, Plan& plan, Member& m, std::span<const Slice> where) {
  plan.start(m.job, where);
  const RunningJob& r = plan.steps().back().running;
  waiting_.erase(m.shape, m.job);
  holding_.insert(m.job);
  late_.erase(m.job);
  m.state = Member::State::running;
  m.type = r.pool;
  m.since = view.now;
  m.end = r.end;
  m.working = later(view.now, r.overhead);
}

/// Those who were chosen for this round and whose GPUs were still held by others in their grace time.
void Core::start_late(const View& view, Plan& plan) {
  if (view.ended.empty()) return;
  const std::vector<JobId> late{late_.begin(), late_.end()};
  for (const JobId j : late) {
    Member& m = members_.of(j);
    if (m.state != Member::State::waiting) continue;
    const auto type = static_cast<std::size_t>(m.chosen);
    if (!placer_->place(view.cluster, demand_on(m, type), slices_)) continue;
    start(view, plan, m, slices_);
    placer_->started();
  }
}

}  // namespace muster::rounds
