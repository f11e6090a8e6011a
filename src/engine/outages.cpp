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
  static const OutagePlan none;
  const bool planned = options_.outages && !options_.outages->empty();
  if (!planned && !excludes_nodes(options_)) return;
  const OutagePlan& plan = planned ? *options_.outages : none;
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
      availability_->nodes[n].cold =
          std::binary_search(plan.cold_spares.begin(), plan.cold_spares.end(), n);
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
  if (e.epoch == kDrawn) return e.kind() == EventKind::away ? fail(e.job) : repaired(e.job);
  if (e.epoch == kQuarantine) return release(NodeId{e.job});
  if (e.epoch == kReserved) {
    if (e.kind() == EventKind::notice) return ask_for(e.job);
    if (e.kind() == EventKind::away) return open_reservation(e.job);
    return close_reservation(e.job);
  }
  if (e.kind() == EventKind::away) return begin_outage(e.job);
  if (e.kind() == EventKind::back) return end_outage(e.job);
  const OutagePlan::Outage& o = availability_->plan.outages[e.job];
  availability_->window_of[e.job] =
      availability_->calendar.add({o.kind, o.from, o.to, o.nodes, {}});
}

void Engine::begin_outage(std::uint32_t outage) {
  std::uint32_t& window = availability_->window_of[outage];
  const OutagePlan::Outage& o = availability_->plan.outages[outage];
  window = leave(o.kind, o.from, o.return_known ? o.to : kNever, o.nodes, window,
                 availability_->cause(o.cause), o.drain ? Manner::drained : Manner::taken);
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
                            std::size_t cause, Manner manner) {
  Availability& a = *availability_;
  ++a.counts[cause].times;
  if (window == 0) window = a.calendar.add({kind, from, to, nodes, {}});
  a.calendar.begun();
  drop_gangs_on(nodes);
  const bool failure = kind == Window::Kind::down;
  if (manner != Manner::drained) hit_ = jobs_on(nodes);
  for (const JobId j : hit_) {
    if (state_[j] != JobState::running) continue;  // it made way for one before it
    if (failure && go_on(j, nodes, cause, manner == Manner::back_at_once)) continue;
    if (failure && a.plan.reaction.detection > Duration{} && !left_behind(j))
      hang(j, cause);
    else
      interrupt(j, cause);
  }
  hit_.clear();
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
    // Who was let end there, or went on, keeps it.
    if (spares_used_ > 0 && !a.nodes[n].spare && jobs_on({n}).empty()) return_spare(n);
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
  if (retries_used_up(j)) return cut_off(j, JobState::failed);
  const Int128 left = s.left();
  stop(j, true);
  note_progress(j, s.got_on || s.left() < left);
}

/// A run has come to nothing since its last checkpoint, and has lost so much time by it.
void Engine::note_interruption(JobId j, Duration lost) {
  charge_outage(j, lost);
  const auto hung = availability_->hung.find(j);
  ++availability_->counts[hung->second].interruptions;
  availability_->hung.erase(hung);
}

/// The outage that it was hit by has cost it so much of its time.
void Engine::charge_outage(JobId j, Duration lost) {
  availability_->counts[availability_->hung.at(j)].lost += gpu_time(j, lost);
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

/// The window closes before anybody has noticed; what they did is lost all the same.
void Engine::lose_what_hangs() {
  now_ = std::max(now_, summary_.end);
  const std::map<JobId, std::size_t> hung = availability_->hung;
  for (const auto& [j, cause] : hung)
    if (state_[j] == JobState::running && live_[j].hung) interrupt(j, cause);
}

/// Nobody has noticed yet: it holds its GPUs, and gets nothing done.
void Engine::hang(JobId j, std::size_t cause) {
  Live& s = live_[j];
  if (s.hung) return;
  s.hung = true;
  availability_->hung[j] = cause;
  s.stop_from = std::min(s.stop_from, now_);
  stop_storing(j);
  queue_.push({later(now_, availability_->plan.reaction.detection), j.value, j.value, ++s.epoch,
               EventKind::stop});
}

}  // namespace muster
