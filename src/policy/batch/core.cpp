#include "core.hpp"

#include <algorithm>

#include "muster/policy/parts/predictor.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster::batch {

Core::Core(const Params& params) : params_(params) {
  order_ = Orders::all().at(params.order).make(params.order_options);
  auto rule = VictimRules::all().at(params.victims).make();
  if (params.preemption != PreemptionKind::none)
    preemption_ = std::make_unique<Preemption>(
        std::move(rule),
        params.preemption == PreemptionKind::suspend ? PreemptMode::suspend : PreemptMode::requeue);
}

Planning Core::planning() const {
  Planning p = params_.planning;
  const bool wanted = p.estimates == Planning::Estimates::predicted || !order_->predictor().empty();
  if (!wanted) p.predictor.clear();
  if (wanted && p.predictor.empty())
    p.predictor = order_->predictor().empty() ? "last_two" : std::string{order_->predictor()};
  return p;
}

std::unique_ptr<Placer> Core::pick_placer(std::uint64_t seed) const {
  return Placers::all().at(params_.placer).make(seed);
}

void Core::begin(const View& view, std::uint64_t seed) {
  placer_ = pick_placer(seed);
  order_->begin(view, seed);
  queue_.begin(view.jobs.size(), view.demands.size());
  for (const auto& [name, gpus] : params_.caps)
    for (std::uint32_t id = 0; id < view.jobs.names().size(); ++id)
      if (view.jobs.names()[NameId{id}] == name) caps_[NameId{id}] = gpus * 1000;
}

void Core::absorb(const View& view) {
  if (!view.ended.empty()) ++stamp_;
  for (const RunningJob& r : view.ended) note_stop(view, r);
  for (const JobId j : view.left) {
    queue_.remove(view.jobs.shape(j), j);
    order_->left(view, j);
    if (awaited_by_ == j) awaited_by_ = kNoJob;
  }
  for (const JobId j : view.joined)
    queue_.add(view.jobs.shape(j), {order_->key(view, j), j, view.jobs.planned(j)});
  if (!queue_.empty() && order_->refresh(view)) queue_.rebuild(view, *order_);
}

void Core::note_stop(const View& view, const RunningJob& r) {
  if (!leaving_.empty())
    if (const auto it = leaving_.find(r.job); it != leaving_.end()) {
      if (it->second == awaited_by_) --awaited_;
      leaving_.erase(it);
    }
  order_->stopped(view, r);
  if (preemption_) preemption_->stopped(view, r);
  if (!caps_.empty()) used_[view.jobs.queue(r.job)] -= r.milli;
}

bool Core::capped(const View& view, JobId j) const {
  const auto cap = caps_.find(view.jobs.queue(j));
  if (cap == caps_.end()) return false;
  const auto used = used_.find(cap->first);
  return (used == used_.end() ? 0 : used->second) + demand(view, j).total_milli() > cap->second;
}

void Core::in_order(std::vector<JobId>& out) const {
  out.clear();
  if (awaited_by_ != kNoJob) out.push_back(awaited_by_);
  queue_.all().each([&](const Waiting& w) {
    if (w.job != awaited_by_) out.push_back(w.job);
    return true;
  });
}

JobId Core::head(const View& view) const {
  if (awaited_by_ != kNoJob && !capped(view, awaited_by_)) return awaited_by_;
  if (caps_.empty()) return queue_.empty() ? kNoJob : queue_.all().front().job;
  const Waiting* first = nullptr;
  for (const ShapeId s : queue_.shapes()) {
    const WaitingQueue::Line& line = queue_.line(s);
    if (capped_line(view, line)) continue;
    if (!first || line.jobs.front() < *first) first = &line.jobs.front();
  }
  return first ? first->job : kNoJob;
}

bool Core::try_start(const View& view, Plan& plan, JobId j) {
  if (!placer_->place(view.cluster, demand(view, j), slices_)) return false;
  start(view, plan, j, slices_);
  return true;
}

void Core::start(const View& view, Plan& plan, JobId j, std::span<const Slice> slices) {
  plan.start(j, slices);
  placer_->started();
  const RunningJob& r = plan.steps().back().running;
  queue_.remove(view.jobs.shape(j), j);
  order_->started(view, r);
  if (preemption_) preemption_->started(view, r);
  if (!caps_.empty()) used_[view.jobs.queue(j)] += r.milli;
  if (awaited_by_ == j) awaited_by_ = kNoJob;
  ++stamp_;
}

bool Core::make_room(const View& view, Plan& plan, JobId j) {
  if (!preemption_ || room_is_coming(j)) return false;
  const std::vector<RunningJob> victims = preemption_->choose(view, j, demand(view, j));
  for (const RunningJob& r : victims) {
    ++stamp_;
    // One that is on its way out already needs no second word.
    if (leaving_.contains(r.job) || !plan.preempt(r.job, j, preemption_->mode())) {
      if (awaited_by_ != j) awaited_ = 0;
      awaited_by_ = j;
      ++awaited_;
      leaving_[r.job] = j;
      continue;
    }
    note_stop(view, r);
    // Back to its place at once (C3, C7): it may be given a reservation in this very pass.
    queue_.add(view.jobs.shape(r.job), {order_->key(view, r.job), r.job, view.jobs.planned(r.job)});
  }
  return !victims.empty();
}

bool Core::wants_domains(const Fleet& fleet) const { return pick_placer()->wants_domains(fleet); }

std::optional<Rejection> Core::refuse(const View& view, const Cluster& empty, JobId j) const {
  const Demand& d = demand(view, j);
  if (const auto cap = caps_.find(view.jobs.queue(j));
      cap != caps_.end() && d.total_milli() > cap->second)
    return Rejection{j, "exceeds_queue_cap",
                     "job " + std::string{view.jobs.id_text(j)} + " needs " + describe(d) +
                         ", queue " + std::string{view.jobs.names()[cap->first]} + " may use " +
                         std::to_string(cap->second / 1000)};
  if (auto rejection = never_fits(view, empty, j)) return rejection;
  return order_->refuse(view, j);
}

}  // namespace muster::batch
