// What happens at the beginning of a round.

#include <algorithm>
#include <limits>
#include <set>

#include "core.hpp"

namespace muster::rounds {

/// Who runs, and who was given a part of the time: to all others a round means nothing.
void Core::collect_active() {
  active_.clear();
  auto held = holding_.begin();
  const auto up_to = [&](JobId j) {
    for (; held != holding_.end() && *held < j; ++held) active_.push_back(&members_.of(*held));
    if (held != holding_.end() && *held == j) ++held;
  };
  for (const JobId j : entitled_) {
    if (!members_.has(j)) continue;
    up_to(j);
    active_.push_back(&members_.of(j));
  }
  for (; held != holding_.end(); ++held) active_.push_back(&members_.of(*held));
}

/// Who claims which type.
std::vector<Core::Claim> Core::claims() const {
  std::vector<Claim> all;
  for (Member* const m : active_) {
    if (m->state == Member::State::leaving) continue;
    for (std::size_t t = 0; t < m->shares.size(); ++t) {
      const Share& s = m->shares[t];
      if (s.part == 0) continue;
      const Int128 due = s.due + Int128{s.part} * params_.round.count();
      const double ahead = s.had == Duration{}
                               ? std::numeric_limits<double>::infinity()
                               : static_cast<double>(due) / static_cast<double>(s.had.count());
      all.push_back({m, t, ahead, due, all.size()});
    }
  }
  return all;
}

/// By number: who shall run on which type, the most urgent claim first. Where they lie is looked at afterwards.
void Core::choose(const View& view) {
  std::vector<std::int64_t> left;
  for (const Fleet::Pool& pool : view.fleet.pools) left.push_back(std::int64_t{pool.gpus} * 1000);
  for (std::uint32_t n = 0; view.calendar && n < view.fleet.nodes.size(); ++n)
    if (view.cluster.fenced(NodeId{n}))
      left[view.fleet.nodes[NodeId{n}].pool] -= std::int64_t{view.fleet.gpus_of(NodeId{n})} * 1000;
  const auto take = [&](Member& m, std::size_t type) {
    const std::int64_t milli = demand_on(m, type).total_milli();
    if (milli > left[type]) return;
    left[type] -= milli;
    m.chosen = static_cast<int>(type);
  };
  for (Member* const m : active_) {
    m->chosen = Member::kNone;
    if (m->guarded(view.now)) take(*m, m->type);
  }
  std::vector<Claim> open = claims();
  const auto after = [](const Claim& a, const Claim& b) {
    if (a.ahead != b.ahead) return a.ahead < b.ahead;
    return a.due != b.due ? a.due < b.due : a.place > b.place;
  };
  // Most claims come too late for anything: a heap does not sort them.
  std::make_heap(open.begin(), open.end(), after);
  while (!open.empty() &&
         std::any_of(left.begin(), left.end(), [](auto milli) { return milli > 0; })) {
    std::pop_heap(open.begin(), open.end(), after);
    const Claim& c = open.back();
    if (c.member->chosen == Member::kNone) take(*c.member, c.type);
    open.pop_back();
  }
}

void Core::hold_round(const View& view, Plan& plan) {
  collect_active();
  for (Member* const m : active_) {
    for (Share& s : m->shares) s.due += Int128{s.part} * (view.now - began_).count();
    count(view, *m);
  }
  for (const JobId j : late_) members_.of(j).chosen = Member::kNone;
  late_.clear();
  if (changed_ || params_.every_round) {
    allocate(view);
    collect_active();
  }
  choose(view);

  std::vector<Seat> seats;
  for (Member* const m : active_)
    if (m->runs() || (m->state == Member::State::waiting && m->chosen != Member::kNone))
      seats.push_back({m, {}});
  Layout layout(view, *placer_, [&](const Member& m, std::size_t type) -> const Demand& {
    return demand_on(m, type);
  });
  layout.arrange(seats);
  const std::vector<bool> wait = awaited(view, seats);
  if (params_.fill) fill(view, layout, seats, wait);
  carry_out(view, plan, seats);
  for (const Seat& seat : seats)
    if (seat.member->chosen != Member::kNone && !seat.member->runs())
      late_.insert(seat.member->job);
}

/// Types of which somebody who was chosen waits for GPUs on their way out. Whoever else found no place is no
/// longer chosen.
std::vector<bool> Core::awaited(const View& view, std::vector<Seat>& seats) const {
  std::vector<bool> leaving(view.fleet.pools.size()), waits(view.fleet.pools.size());
  const auto goes = [&](const Member& m) {
    return m.runs() && m.chosen != m.type && !goes_at_once(view, m);
  };
  for (const JobId j : holding_)
    if (const Member& m = members_.of(j); m.state == Member::State::leaving || goes(m))
      leaving[m.type] = true;
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

/// Where a job that nobody has chosen might go, the best type first.
std::vector<std::size_t> Core::types_for(const View& view, const Member& m,
                                         const std::vector<bool>& awaited) const {
  std::vector<std::size_t> types;
  for (std::size_t t = 0; t < awaited.size(); ++t)
    if (!awaited[t] && place(m, t).possible) types.push_back(t);
  std::stable_sort(types.begin(), types.end(), [&](std::size_t a, std::size_t b) {
    return known_speed(view, m, a) > known_speed(view, m, b);
  });
  return types;
}

/// GPUs that would be idle go to jobs that were not chosen: first to those that have them already, then in
/// order of submission, each on the best type that has room. Where somebody waits for GPUs on their way out
/// nothing is given away.
void Core::fill(const View& view, Layout& layout, std::vector<Seat>& seats,
                const std::vector<bool>& awaited) {
  // Who was chosen and found no place is one of those that wait.
  std::erase_if(seats, [](const Seat& seat) {
    return !seat.member->runs() && seat.member->chosen == Member::kNone;
  });
  for (Seat& seat : seats) {
    const Member& m = *seat.member;
    if (m.runs() && !seat.placed() && m.chosen == Member::kNone && !awaited[m.type])
      layout.fill(seat, types_for(view, m, awaited));
  }
  // The first of each shape. If there is no place for that, there is none for those behind it.
  std::set<std::pair<JobId, ShapeId>> heads;
  for (const ShapeId s : waiting_.shapes()) heads.insert({*waiting_.line(s).jobs.begin(), s});
  while (!heads.empty()) {
    const auto [j, shape] = *heads.begin();
    heads.erase(heads.begin());
    if (Member& m = members_.of(j); m.chosen == Member::kNone) {
      Seat seat{&m, {}};
      if (!layout.fill(seat, types_for(view, m, awaited))) continue;
      seats.push_back(std::move(seat));
    }
    const std::set<JobId>& line = waiting_.line(shape).jobs;
    if (const auto next = line.upper_bound(j); next != line.end()) heads.insert({*next, shape});
  }
  std::sort(seats.begin(), seats.end(),
            [](const Seat& a, const Seat& b) { return a.member->job < b.member->job; });
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
  if (!gone) return;
  holding_.erase(m.job);
  waiting_.insert(m.shape, m.job);
}

}  // namespace muster::rounds
