// Jobs side by side on the same GPUs, and jobs that come together from several nodes.

#include "core.hpp"

namespace muster::ranked {
namespace {

std::uint32_t nodes_in(std::span<const Slice> where) {
  std::uint32_t nodes = 0;
  for (const Slice& s : where) nodes += s.count;
  return nodes;
}

/// The same on as few nodes as it takes.
Demand compact(Demand d) {
  d.span = Span::whole_nodes;
  d.by_count = false;
  return d;
}

/// Only a bare number of GPUs may be spread.
bool may_spread(const Demand& d) {
  return d.span == Span::any && d.nodes == 0 && d.tasks.empty() && d.milli == 1000;
}

/// How fast it got on in this run so far, over how fast it is alone there: what it planned to do in it over
/// what that takes by now.
double rate(const View& view, const RunningJob& r) {
  const Duration work = view.jobs.planned(r.job) - r.overhead;
  const Duration takes = r.end - r.start - r.overhead;
  if (takes <= Duration{} || work <= Duration{}) return 1;
  const Speed alone = view.jobs.speed(r.job, view.placements.of(r.job));
  return static_cast<double>(time_for(work, alone).count()) / static_cast<double>(takes.count());
}

}  // namespace

/// Inside the domain on which it insists; with migrate on as few nodes as it takes, if there is room for
/// that.
bool Core::find_place(const View& view, JobId j) {
  const Demand& d = demand(view, j);
  const Level level = stance(view, j).first;
  if (params_.migrate && may_spread(d)) {
    Demand tight = compact(d);
    if (level < Level::fleet) tight.required = level;
    if (placer_->place(view.cluster, tight, slices_)) return true;
  }
  if (level == Level::fleet) return placer_->place(view.cluster, d, slices_);
  Demand inside = d;
  inside.required = level;
  return placer_->place(view.cluster, inside, slices_);
}

bool Core::spread(const View& view, JobId j) const {
  const Demand& d = demand(view, j);
  return may_spread(d) && nodes_in(view.placements.of(j)) > (d.gpus + d.widest - 1) / d.widest;
}

void Core::note_spread(Roster::Entry& e, bool spread) {
  if (e.spread == spread) return;
  e.spread = spread;
  if (spread)
    spread_.insert(e.job);
  else
    spread_.erase(e.job);
}

bool Core::try_pack(const View& view, Plan& plan, JobId j) {
  const JobId host = packing_->host_for(view, view.cluster, j);
  if (host == kNoJob) return false;
  plan.start_beside(j, host);
  packing_->packed(view, j, host);
  constexpr Duration kMeasured = std::chrono::minutes{1};
  const Duration quantum = params_.rank_options.quantum;
  to_judge_.insert({later(view.now, quantum > Duration{} ? quantum : kMeasured), j});
  note_run(view, plan, j);
  return true;
}

/// Two that get no more done side by side than they would by turns are parted, for good.
void Core::part_those_that_hurt(const View& view, Plan& plan) {
  std::map<JobId, double> rates;
  std::vector<JobId> guests;
  for (; !to_judge_.empty() && to_judge_.begin()->first <= view.now;
       to_judge_.erase(to_judge_.begin())) {
    const auto pair = packing_->pairs().find(to_judge_.begin()->second);
    if (pair == packing_->pairs().end()) continue;
    guests.push_back(pair->first);
    rates[pair->first] = rates[pair->second.host] = 1;
  }
  if (guests.empty()) return;
  view.running.each([&](const RunningJob& r) {
    if (const auto it = rates.find(r.job); it != rates.end()) it->second = rate(view, r);
    return true;
  });
  for (const JobId guest : guests) {
    const Packing::Pair pair = packing_->pairs().at(guest);
    if (rates[guest] + rates[pair.host] > 1) continue;
    packing_->part_for_good(view, pair);
    victims_.assign(1, guest);
    evict(view, plan, pair.host);
  }
}

/// Nobody waits: who runs beside somebody goes where GPUs are free.
void Core::spread_pairs(const View& view, Plan& plan) {
  std::vector<JobId> guests;
  for (const auto& [guest, pair] : packing_->pairs()) guests.push_back(guest);
  for (const JobId guest : guests) {
    if (!find_place(view, guest)) continue;
    packing_->stopped(view, guest);
    move(view, plan, roster_.of(guest));
    packing_->started(view, guest);
    if (params_.migrate && spread(view, guest)) note_spread(roster_.of(guest), true);
  }
}

/// Jobs have ended: those that are spread over more nodes than they need may fit together by now.
void Core::bring_together(const View& view, Plan& plan) {
  constexpr int kMostTried = 16;
  int tried = 0;
  for (auto next = spread_.begin(); next != spread_.end();) {
    const JobId j = *next++;
    Roster::Entry& e = roster_.of(j);
    if (!e.runs() || e.since == view.now || view.jobs.grace(j) > Duration{}) continue;
    if (++tried > kMostTried) return;
    plan.lift(j);
    const bool found = placer_->place(view.cluster, compact(demand(view, j)), slices_);
    plan.put_back(j);
    if (!found) continue;
    note_spread(e, false);
    move(view, plan, e);
    if (packing_) packing_->started(view, j);
  }
}

/// To slices_, at its price.
void Core::move(const View& view, Plan& plan, Roster::Entry& e) {
  plan.reshape(e.job, slices_, params_.move_cost);
  placer_->started();
  e.end = later(e.end, params_.move_cost);
  rank_anew(view, e);
}

}  // namespace muster::ranked
