// Nodes leave and come back: failures and planned outages (CONVENTIONS C2, C11, C12).

#include <algorithm>

#include "engine.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {

/// Of those at one instant, what is planned comes first, then reservations, then what is drawn.
Event Engine::outage_at(SimTime at, std::size_t number, std::uint32_t sort, EventKind kind) {
  const auto n = static_cast<std::uint32_t>(number);
  return {at, sort << 30 | n, n, sort, kind};
}

void Engine::open_calendar() {
  static const OutagePlan kNone;
  const bool planned = options_.outages && !options_.outages->empty();
  if (!planned && !excludes_nodes(options_)) return;
  const OutagePlan& plan = planned ? *options_.outages : kNone;
  availability_ = std::make_unique<Availability>(plan, fleet_);
  for (std::size_t i = 0; i < plan.outages.size(); ++i) {
    const OutagePlan::Outage& o = plan.outages[i];
    if (o.announced < o.from) queue_.push(outage_at(o.announced, i, kPlanned, EventKind::notice));
    queue_.push(outage_at(o.from, i, kPlanned, EventKind::away));
    if (o.to != kNever) queue_.push(outage_at(o.to, i, kPlanned, EventKind::back));
  }
  for (std::size_t i = 0; i < plan.reservations.size(); ++i)
    queue_.push(outage_at(plan.reservations[i].requested, i, kReserved, EventKind::notice));
  list_things();
  if (!plan.spares.empty()) {
    availability_->spares =
        availability_->calendar.add({Window::Kind::spare, kStart, kNever, plan.spares, "spares"});
    for (const NodeId n : plan.spares) {
      availability_->nodes[n].spare = true;
      serve(n);
    }
  }
  for (const Shape& shape : workload_.shapes)
    for (std::uint32_t i = 0; i < plan.reservations.size(); ++i)
      if (shape.reservation != NameId{} &&
          workload_.names[shape.reservation] == plan.reservations[i].id) {
        availability_->by_name[shape.reservation] = i;
        availability_->reservations[i].name = shape.reservation;
      }
}

void Engine::outage_event(const Event& e) {
  if (e.epoch == kDrawn) return e.kind == EventKind::away ? fail(e.job) : repaired(e.job);
  if (e.epoch == kQuarantine) return release(NodeId{e.job});
  if (e.epoch == kReserved) {
    if (e.kind == EventKind::notice) return ask_for(e.job);
    if (e.kind == EventKind::away) return open_reservation(e.job);
    return close_reservation(e.job);
  }
  if (e.kind == EventKind::away) return begin_outage(e.job);
  if (e.kind == EventKind::back) return end_outage(e.job);
  const OutagePlan::Outage& o = availability_->plan.outages[e.job];
  availability_->window_of[e.job] =
      availability_->calendar.add({o.kind, o.from, o.to, o.nodes, {}});
}

void Engine::begin_outage(std::uint32_t outage) {
  std::uint32_t& window = availability_->window_of[outage];
  const OutagePlan::Outage& o = availability_->plan.outages[outage];
  window = leave(o.kind, o.from, o.return_known ? o.to : kNever, o.nodes, window,
                 availability_->cause(o.cause), o.drain);
  if (o.kind == Window::Kind::down)
    for (const NodeId n : o.nodes) note_failure(n);
}

void Engine::end_outage(std::uint32_t outage) {
  const OutagePlan::Outage& o = availability_->plan.outages[outage];
  come_back(o.kind, o.nodes, availability_->window_of[outage]);
}

/// Nodes leave now, with all that runs there unless they are drained. `window`: what the calendar knows of it by now, 0 = nothing; returns that.
std::uint32_t Engine::leave(Window::Kind kind, SimTime from, SimTime to,
                            const std::vector<NodeId>& nodes, std::uint32_t window,
                            std::size_t cause, bool drain) {
  Availability& a = *availability_;
  ++a.counts[cause].times;
  if (window == 0) window = a.calendar.add({kind, from, to, nodes, {}});
  a.calendar.begun();
  drop_gangs_on(nodes);
  const bool failure = kind == Window::Kind::down;
  for (const JobId j : drain ? std::vector<JobId>{} : jobs_on(nodes)) {
    if (failure && swap_in(j, nodes, cause)) continue;
    if (failure && a.plan.reaction.detection > Duration{})
      hang(j, cause);
    else
      interrupt(j, cause);
  }
  for (const NodeId n : nodes) {
    ++(failure ? a.nodes[n].down : a.nodes[n].maintenance);
    serve(n);
  }
  return window;
}

void Engine::come_back(Window::Kind kind, const std::vector<NodeId>& nodes, std::uint32_t window) {
  Availability& a = *availability_;
  a.calendar.remove(window);
  for (const NodeId n : nodes) {
    --(kind == Window::Kind::down ? a.nodes[n].down : a.nodes[n].maintenance);
    if (spares_used_ > 0 && !a.nodes[n].spare) return_spare(n);
    serve(n);
  }
}

/// Of what use a node is may have changed.
void Engine::serve(NodeId n) {
  Availability::Node& node = availability_->nodes[n];
  const Service service = node.down > 0          ? Service::down
                          : node.maintenance > 0 ? Service::maintenance
                          : node.spare           ? Service::spare
                                                 : Service::up;
  if (service == node.service) return;
  NodeRecord r{now_, n, node.service, service};
  if (node.service == Service::up) r.milli = cluster_.fence(n);
  if (service == Service::up) r.milli = cluster_.unfence(n);
  node.service = service;
  hash_.add(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  hash_.add((std::uint64_t{n.value} << 16) | 0x8000U | static_cast<std::uint64_t>(service));
  observer_.node(r);
}

/// Running jobs that hold something of these nodes, by id.
std::vector<JobId> Engine::jobs_on(const std::vector<NodeId>& nodes) const {
  std::vector<JobId> jobs;
  running_.each([&](const RunningJob& r) {
    for (const Slice& s : placements_.of(r.job)) {
      const auto first = std::lower_bound(nodes.begin(), nodes.end(), s.first);
      if (first == nodes.end() || first->value >= s.first.value + s.count) continue;
      jobs.push_back(r.job);
      break;
    }
    return true;
  });
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

/// Incomplete gangs with something there give all of it back, and begin anew.
void Engine::drop_gangs_on(const std::vector<NodeId>& nodes) {
  for (std::uint32_t i = 0; incomplete_ > 0 && i < arrived_; ++i) {
    const JobId j{i};
    if (state_[j] != JobState::pending || live_[j].start == kNever) continue;
    const auto held = placements_.of(j);
    const bool there = std::any_of(held.begin(), held.end(), [&](const Slice& s) {
      const auto first = std::lower_bound(nodes.begin(), nodes.end(), s.first);
      return first != nodes.end() && first->value < s.first.value + s.count;
    });
    if (!there) continue;
    cluster_.give_back(held, demands_[workload_.shape[j]].milli);
    record({now_, j, Record::What::drop, JobState::pending, held});
    placements_.recycle(j);
    live_[j].start = kNever;
    --incomplete_;
    left_.push_back(j);
    joined_.push_back(j);
    if (auto f = livelock_.dropped(now_, j, workload_)) find(std::move(*f));
  }
}

/// It loses what it did since its last completed checkpoint, and waits again.
void Engine::interrupt(JobId j, std::size_t cause) {
  Live& s = live_[j];
  availability_->hung.emplace(j, cause);
  s.hung = true;
  s.by = kNoJob;
  s.mode = PreemptMode::requeue;
  const std::int64_t retries = availability_->plan.reaction.retries;
  if (retries >= 0 && ++s.interruptions > retries) return cut_off(j, JobState::failed);
  const Int128 left = s.left();
  stop(j, true);
  note_progress(j, s.left() < left);
}

/// A run has come to nothing since its last checkpoint, and has lost so much time by it.
void Engine::note_interruption(JobId j, Duration lost) {
  const auto hung = availability_->hung.find(j);
  OutageCount& count = availability_->counts[hung->second];
  availability_->hung.erase(hung);
  const std::uint32_t milli = workload_.shapes[workload_.shape[j]].milli;
  ++count.interruptions;
  count.lost += Int128{lost.count()} * gpus_in(placements_.of(j)) * (milli == 0 ? 1000 : milli);
}

/// A job that is interrupted again and again before it has a checkpoint may never end.
void Engine::note_progress(JobId j, bool any) {
  constexpr std::uint32_t kMost = 100;
  if (any) {
    availability_->in_vain.erase(j);
    return;
  }
  Availability::InVain& v = availability_->in_vain[j];
  if (v.times++ == 0) v.since = now_;
  if (v.times < kMost) return;
  find({Finding::Kind::livelock,
        v.since,
        now_,
        {j},
        "outages interrupted job " + std::string{workload_.id_text(j)} + " " +
            std::to_string(v.times) + " times between " + at_text(v.since) + " and " +
            at_text(now_) + ", and it got nothing done: checkpoints are too far apart for it"});
  v.times = 0;
}

/// Nobody has noticed yet: it holds its GPUs, and gets nothing done.
void Engine::hang(JobId j, std::size_t cause) {
  Live& s = live_[j];
  if (s.hung) return;
  s.hung = true;
  availability_->hung[j] = cause;
  s.stop_from = std::min(s.stop_from, now_);
  queue_.push({later(now_, availability_->plan.reaction.detection), j.value, j.value, ++s.epoch,
               EventKind::stop});
}

/// Spares take the places of its nodes that have failed, and it goes on from its last completed
/// checkpoint. False if there are not enough.
bool Engine::swap_in(JobId j, const std::vector<NodeId>& failed, std::size_t cause) {
  Availability& a = *availability_;
  Live& s = live_[j];
  if (!a.plan.reaction.swap || a.plan.spares.empty() || s.hung || s.stop_from != kNever ||
      s.entry.made || demands_[workload_.shape[j]].milli < 1000)
    return false;
  std::vector<Slice> before, after;
  std::vector<NodeId> spares = a.calendar.find(a.spares)->nodes;
  if (!exchange(placements_.of(j), failed, spares, after)) return false;
  before.assign(placements_.of(j).begin(), placements_.of(j).end());
  running_.erase(s.entry);
  cluster_.give_back(before);
  for (const NodeId n : a.calendar.find(a.spares)->nodes)
    if (!std::binary_search(spares.begin(), spares.end(), n)) {
      a.nodes[n].spare = false;
      ++spares_used_;
      serve(n);
    }
  a.calendar.change(a.spares, std::move(spares));
  cluster_.take(after);
  placements_.recycle(j);
  placements_.assign(j, after);
  s.mode = PreemptMode::requeue;
  s.ran = true;
  const Spent run = spent(j, now_);
  a.hung[j] = cause;
  note_interruption(j, run.work - run.saved);
  move_run(j, before, next_overhead(j), run.saved, kNoJob, true);
  enter_run(j);
  part(j);
  return true;
}

/// Puts a spare like it in the place of each of the nodes that have failed: the placement that comes of
/// it, and the spares that are left. False if there are not enough.
bool Engine::exchange(std::span<const Slice> held, const std::vector<NodeId>& failed,
                      std::vector<NodeId>& spares, std::vector<Slice>& after) const {
  for (const Slice& s : held)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      if (!std::binary_search(failed.begin(), failed.end(), NodeId{n})) {
        after.push_back({NodeId{n}, 1, s.gpus});
        continue;
      }
      const Fleet::Node& node = fleet_.nodes[NodeId{n}];
      const auto like_it = [&](NodeId spare) {
        return availability_->nodes[spare].service == Service::spare &&
               fleet_.nodes[spare].pool == node.pool && fleet_.nodes[spare].gpus == node.gpus &&
               !std::binary_search(failed.begin(), failed.end(), spare) &&
               jobs_on({spare}).empty();  // one that was hit there may not have noticed yet
      };
      const auto spare = std::find_if(spares.begin(), spares.end(), like_it);
      if (spare == spares.end()) return false;
      after.push_back({*spare, 1, s.gpus});
      spares.erase(spare);
    }
  std::sort(after.begin(), after.end(),
            [](const Slice& x, const Slice& y) { return x.first < y.first; });
  return true;
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
