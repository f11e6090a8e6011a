// Advance reservations: asked for, confirmed or denied, opened and closed.

#include <algorithm>

#include "engine.hpp"
#include "muster/policy/parts/placer.hpp"
#include "muster/policy/parts/words.hpp"

namespace muster {
namespace {

using Reservation = OutagePlan::Reservation;
using State = Availability::Reservation::State;

std::string span_text(SimTime from, SimTime to) {
  return "from " + at_text(from) + " to " + at_text(to);
}

bool listed(const std::vector<std::string>& list, std::string_view name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

/// Of the stretches into which [from, to) falls, the first in which fewest nodes are unreserved.
struct Tightest {
  SimTime from, to;
  std::size_t unreserved;
};
Tightest tightest(const Fleet& fleet, const Calendar& calendar, SimTime from, SimTime to) {
  std::vector<SimTime> cuts{from, to};
  for (const Window& w : calendar.windows())
    for (const SimTime t : {w.from, w.to})
      if (t > from && t < to) cuts.push_back(t);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  Tightest least{from, to, SIZE_MAX};
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    std::vector<bool> taken(fleet.nodes.size(), false);
    for (const Window& w : calendar.windows())
      if (w.overlaps(cuts[i], cuts[i + 1]))
        for (const NodeId n : w.nodes) taken[n.value] = true;
    const auto free = static_cast<std::size_t>(std::count(taken.begin(), taken.end(), false));
    if (free < least.unreserved) least = {cuts[i], cuts[i + 1], free};
  }
  return least;
}

}  // namespace

/// Nodes that nothing else is known of over the reservation's time, and that no job holds by its estimate
/// when it begins.
std::vector<NodeId> Engine::nodes_for(const Reservation& r, SimTime to) const {
  std::vector<bool> taken(fleet_.nodes.size(), false);
  for (const Window& w : availability_->calendar.windows())
    if (w.overlaps(r.from, to))
      for (const NodeId n : w.nodes) taken[n.value] = true;
  running_.each_by_end(now_, false, [&](const RunningJob& job, SimTime end) {
    if (end > r.from)
      for (const Slice& s : placements_.of(job.job))
        for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) taken[n] = true;
    return true;
  });
  std::vector<NodeId> nodes;
  for (std::uint32_t n = 0; n < taken.size(); ++n)
    if (!taken[n] &&
        (r.nodes.empty() || std::binary_search(r.nodes.begin(), r.nodes.end(), NodeId{n})))
      nodes.push_back(NodeId{n});
  return nodes;
}

/// The nodes that a job would be put on, were nothing there but these.
std::optional<std::vector<NodeId>> Engine::choose_for_job(const Reservation& r,
                                                          const std::vector<NodeId>& from) const {
  Cluster free(fleet_, cluster_.tracks_domains());
  for (std::uint32_t n = 0; n < fleet_.nodes.size(); ++n)
    if (!std::binary_search(from.begin(), from.end(), NodeId{n})) free.fence(NodeId{n});
  std::vector<Slice> slices;
  const auto placer = Placers::all().at("pack").make(1);
  if (!placer->place(free, demands_[workload_.shape[r.job]], slices)) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Slice& s : slices)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      nodes.push_back(NodeId{n});
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void Engine::ask_for(std::uint32_t reservation) {
  Availability& a = *availability_;
  const Reservation& r = a.plan.reservations[reservation];
  Availability::Reservation& state = a.reservations[reservation];
  const bool of_job = r.job != kNoJob;
  state.to = r.to != kNever || !of_job ? r.to : later(r.from, planned_[r.job]);
  std::vector<NodeId> nodes = nodes_for(r, state.to);
  const std::size_t needed = of_job ? 0 : r.nodes.empty() ? r.count : r.nodes.size();
  const std::string needs = "reservation " + r.id + " needs " +
                            (of_job ? describe(demands_[workload_.shape[r.job]]) + " for job " +
                                          std::string{workload_.id_text(r.job)}
                                    : count_text(needed, "node")) +
                            " " + span_text(r.from, state.to);
  ReservationOutcome outcome{r.id, true, "", needs};
  if (of_job) {
    const auto chosen = choose_for_job(r, nodes);
    outcome.confirmed = chosen.has_value();
    if (chosen) nodes = *chosen;
  } else {
    outcome.confirmed = nodes.size() >= needed;
    if (outcome.confirmed) nodes.resize(needed);
  }
  if (outcome.confirmed) {
    state.state = State::confirmed;
    state.window =
        a.calendar.add({Window::Kind::reservation, r.from, state.to, nodes, r.id, state.name});
    queue_.push(outage_at(r.from, reservation, kReserved, EventKind::away));
    if (state.to != kNever)
      queue_.push(outage_at(state.to, reservation, kReserved, EventKind::back));
  } else {
    const Tightest t = tightest(fleet_, a.calendar, r.from, state.to);
    const bool reserved = t.unreserved < std::max<std::size_t>(needed, 1);
    outcome.code = reserved ? "not_enough_unreserved" : "nodes_in_use";
    outcome.text += reserved ? ", but " + span_text(t.from, t.to) + " only " +
                                   count_text(t.unreserved, "node") +
                                   (t.unreserved == 1 ? " is" : " are") + " unreserved"
                             : ", but only " + count_text(nodes.size(), "such node") +
                                   (nodes.size() == 1 ? " is" : " are") +
                                   " unreserved all that time and by the estimates idle at its "
                                   "beginning";
    state.state = State::denied;
    state.text = outcome.text;
    for (const JobId j : state.tied)
      if (state_[j] == JobState::pending || state_[j] == JobState::held) cancel(j);
    summary_.warnings.push_back("reservation_denied: " + outcome.text);
  }
  summary_.reservations.push_back(std::move(outcome));
}

/// Whoever is still there has outlived its estimate: it makes way.
void Engine::open_reservation(std::uint32_t reservation) {
  Availability& a = *availability_;
  a.calendar.begun();
  const Window* w = a.calendar.find(a.reservations[reservation].window);
  const std::vector<JobId> there = jobs_on(w->nodes);
  if (there.empty()) return;
  const std::size_t cause = a.cause("reservation");
  for (const JobId j : there) interrupt(j, cause);
}

/// Whoever still runs in it has reached its limit, and whoever still waits for it waits in vain.
void Engine::close_reservation(std::uint32_t reservation) {
  Availability& a = *availability_;
  Availability::Reservation& state = a.reservations[reservation];
  state.state = State::over;
  a.calendar.remove(state.window);
  std::size_t waited = 0;
  for (const JobId j : state.tied) {
    if (state_[j] == JobState::running) cut_off(j, JobState::timeout);
    if (state_[j] != JobState::pending && state_[j] != JobState::held) continue;
    cancel(j);
    ++waited;
  }
  if (waited > 0)
    summary_.warnings.push_back("reservation_over: " + count_text(waited, "job") +
                                " had not started when reservation " +
                                a.plan.reservations[reservation].id + " ended");
  if (state.tied.empty())
    summary_.warnings.push_back("reservation_unused: reservation " +
                                a.plan.reservations[reservation].id +
                                " kept its nodes for nobody: no job was tied to it, by its column "
                                "reservation");
}

std::optional<Rejection> Engine::refuse_tied(JobId j) {
  const NameId name = workload_.shapes[workload_.shape[j]].reservation;
  const std::string id{workload_.names[name]};
  const std::string who =
      "job " + std::string{workload_.id_text(j)} + " is tied to reservation " + id;
  const auto no = [&](const char* code, const std::string& why) {
    return Rejection{j, code, who + ", " + why};
  };
  if (!policy_.keeps_reservations())
    return no("no_such_reservation", "and this policy keeps no reservations");
  const auto found = availability_ ? availability_->by_name.find(name)
                                   : std::map<NameId, std::uint32_t>::iterator{};
  if (!availability_ || found == availability_->by_name.end())
    return no("no_such_reservation", "and the experiment has none of that name");
  Availability::Reservation& state = availability_->reservations[found->second];
  const Reservation& r = availability_->plan.reservations[found->second];
  if (state.state == State::denied)
    return no("reservation_denied", "which was denied: " + state.text);
  if (state.state == State::over)
    return no("reservation_over", "which ended at " + at_text(state.to));
  if (!listed(r.users, workload_.names[workload_.user[j]]))
    return no("not_allowed_in_reservation",
              "which is not for user " + std::string{workload_.names[workload_.user[j]]});
  if (!listed(r.queues, workload_.names[workload_.queue[j]]))
    return no("not_allowed_in_reservation",
              "which is not for queue " + std::string{workload_.names[workload_.queue[j]]});
  state.tied.push_back(j);
  return std::nullopt;
}

}  // namespace muster
