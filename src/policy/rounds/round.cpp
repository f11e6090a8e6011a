// What happens at the beginning of a round.

#include <algorithm>
#include <limits>

#include "core.hpp"

namespace muster::rounds {

/// Who claims which type, the most urgent first.
std::vector<Core::Claim> Core::claims() {
  std::vector<Claim> all;
  for (auto& [j, m] : members_) {
    if (m.state == Member::State::leaving) continue;
    for (std::size_t t = 0; t < m.part.size(); ++t) {
      if (m.part[t] == 0) continue;
      const Int128 due = m.due[t] + Int128{m.part[t]} * params_.round.count();
      const Duration had = m.had[t];
      const double ahead = had == Duration{}
                               ? std::numeric_limits<double>::infinity()
                               : static_cast<double>(due) / static_cast<double>(had.count());
      all.push_back({&m, t, ahead, due});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Claim& a, const Claim& b) {
    return a.ahead != b.ahead ? a.ahead > b.ahead : a.due > b.due;
  });
  return all;
}

/// By number: who shall run on which type. Where they lie is looked at afterwards.
void Core::choose(const View& view) {
  std::vector<std::int64_t> left;
  for (const Fleet::Pool& pool : view.fleet.pools) left.push_back(std::int64_t{pool.gpus} * 1000);
  for (std::uint32_t n = 0; view.calendar && n < view.fleet.nodes.size(); ++n)
    if (view.cluster.fenced(NodeId{n}))
      left[view.fleet.nodes[NodeId{n}].pool] -= std::int64_t{view.fleet.gpus_of(NodeId{n})} * 1000;
  const auto take = [&](Member& m, std::size_t type) {
    const std::int64_t milli = demand_on(m, type).total_milli();
    if (milli > left[type]) return false;
    left[type] -= milli;
    m.chosen = static_cast<int>(type);
    return true;
  };
  for (auto& [j, m] : members_) {
    m.chosen = Member::kNone;
    if (m.guarded(view.now)) take(m, m.type);
  }
  for (const Claim& c : claims())
    if (c.member->chosen == Member::kNone) take(*c.member, c.type);
}

void Core::hold_round(const View& view, Plan& plan) {
  for (auto& [j, m] : members_) {
    for (std::size_t t = 0; t < m.part.size(); ++t)
      m.due[t] += Int128{m.part[t]} * (view.now - began_).count();
    count(view, m);
  }
  if (changed_ || params_.every_round) allocate(view);
  choose(view);

  std::vector<Seat> seats;
  for (auto& [j, m] : members_)
    if (m.state != Member::State::leaving) seats.push_back({&m, {}});
  Layout layout(view, *placer_, [&](const Member& m, std::size_t type) -> const Demand& {
    return demand_on(m, type);
  });
  layout.arrange(seats);
  const std::vector<bool> wait = awaited(view, seats);
  if (params_.fill) fill(view, layout, seats, wait);
  carry_out(view, plan, seats);
}

/// Types of which somebody who was chosen waits for GPUs on their way out. Whoever else found no place is no
/// longer chosen.
std::vector<bool> Core::awaited(const View& view, std::vector<Seat>& seats) const {
  std::vector<bool> leaving(view.fleet.pools.size()), waits(view.fleet.pools.size());
  const auto goes = [&](const Member& m) {
    return m.runs() && m.chosen != m.type && !goes_at_once(view, m);
  };
  for (const auto& [j, m] : members_)
    if (m.state == Member::State::leaving || goes(m)) leaving[m.type] = true;
  for (Seat& seat : seats) {
    Member& m = *seat.member;
    if (seat.placed() || m.chosen == Member::kNone) continue;
    const auto type = static_cast<std::size_t>(m.chosen);
    if (leaving[type] || goes(m))
      waits[type] = true;
    else
      m.chosen = Member::kNone;
  }
  return waits;
}

/// GPUs that would be idle go to jobs that were not chosen: first to those that have them already, then in
/// order of submission, each on the best type that has room. Where somebody waits for GPUs on their way out
/// nothing is given away.
void Core::fill(const View& view, Layout& layout, std::vector<Seat>& seats,
                const std::vector<bool>& awaited) {
  for (const bool running : {true, false})
    for (Seat& seat : seats) {
      const Member& m = *seat.member;
      if (seat.placed() || m.chosen != Member::kNone || m.runs() != running) continue;
      std::vector<std::size_t> types;
      for (std::size_t t = 0; t < awaited.size(); ++t)
        if (!awaited[t] && place(m, t).possible) types.push_back(t);
      std::stable_sort(types.begin(), types.end(), [&](std::size_t a, std::size_t b) {
        return known_speed(view, m, a) > known_speed(view, m, b);
      });
      if (!running || !awaited[m.type]) layout.fill(seat, types);
    }
}

void Core::carry_out(const View& view, Plan& plan, std::vector<Seat>& seats) {
  const auto stays = [&](const Seat& seat) {
    const auto held = view.placements.of(seat.member->job);
    return std::equal(held.begin(), held.end(), seat.slices.begin(), seat.slices.end());
  };
  std::vector<JobId> comer(view.fleet.pools.size(), kNoJob);  // the first one of each type
  for (const Seat& seat : seats)
    if (seat.placed() && !(seat.member->runs() && stays(seat))) {
      JobId& first = comer[view.fleet.nodes[seat.slices.front().first].pool];
      if (first == kNoJob) first = seat.member->job;
    }
  for (Seat& seat : seats)
    if (Member& m = *seat.member; m.runs() && !stays(seat)) {
      const JobId by = comer[m.type];
      stop(view, plan, m, by == m.job ? kNoJob : by);
    }
  for (Seat& seat : seats)
    if (Member& m = *seat.member; m.state == Member::State::waiting && seat.placed())
      start(view, plan, m, seat.slices);
}

/// A round's end is foreseen: a checkpoint is written by then and nothing is lost.
void Core::stop(const View& view, Plan& plan, Member& m, JobId by) {
  count(view, m);
  const bool gone = plan.preempt(m.job, by, PreemptMode::checkpoint);
  m.state = gone ? Member::State::waiting : Member::State::leaving;
}

}  // namespace muster::rounds
