#include "layout.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace muster::rounds {

bool Layout::sits_free(const Cluster& cluster, const Member& m) const {
  for (const Slice& s : view_.placements.of(m.job))
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
      if ((cluster.free(NodeId{n}) & s.gpus) == s.gpus) continue;
      if (milli(m) == 1000) return false;
      const auto gpu = static_cast<std::uint64_t>(std::countr_zero(s.gpus));
      const auto partly = cluster.partly_taken().find(std::uint64_t{n} * 64 + gpu);
      if (partly == cluster.partly_taken().end() || partly->second < milli(m)) return false;
    }
  return true;
}

/// Where it sits if it may, else where the placer says.
bool Layout::settle(Cluster& cluster, Seat& seat, std::size_t type) {
  const Member& m = *seat.member;
  const bool stays = m.runs() && m.type == type && sits_free(cluster, m);
  if (m.runs() && !stays && !goes_at_once(view_, m)) return false;
  if (stays) {
    const auto held = view_.placements.of(m.job);
    seat.slices.assign(held.begin(), held.end());
  } else if (placer_.place(cluster, demand_(m, type), slices_)) {
    seat.slices = slices_;
    placer_.started();
  } else {
    return false;
  }
  cluster.take(seat.slices, milli(m));
  return true;
}

void Layout::arrange(std::span<Seat> seats) {
  std::vector<std::vector<Seat*>> of_type(view_.fleet.pools.size());
  for (Seat& seat : seats) {
    const Member& m = *seat.member;
    if (m.chosen != Member::kNone) of_type[static_cast<std::size_t>(m.chosen)].push_back(&seat);
    const bool stays = m.runs() && m.chosen == m.type;
    if (m.runs() && !stays && goes_at_once(view_, m))
      cluster_.give_back(view_.placements.of(m.job), milli(m));
  }
  for (std::size_t t = 0; t < of_type.size(); ++t) arrange_type(of_type[t], t);
}

void Layout::arrange_type(std::span<Seat*> seats, std::size_t type) {
  std::stable_sort(seats.begin(), seats.end(), [&](const Seat* a, const Seat* b) {
    return demand_(*a->member, type).total_milli() > demand_(*b->member, type).total_milli();
  });
  const bool all_stay = std::all_of(seats.begin(), seats.end(), [&](const Seat* s) {
    return s->member->runs() && s->member->type == type;
  });
  std::optional<Cluster> before;
  if (!all_stay) before.emplace(cluster_);
  bool all = true;
  for (Seat* seat : seats) {
    const Member& m = *seat->member;
    if (m.runs() && m.type == type) {
      const auto held = view_.placements.of(m.job);
      seat->slices.assign(held.begin(), held.end());
    } else {
      all = settle(cluster_, *seat, type) && all;
    }
  }
  if (all) return;
  std::vector<std::vector<Slice>> first;
  for (const Seat* seat : seats) first.push_back(seat->slices);
  if (place_anew(*before, seats, type)) return;
  for (std::size_t i = 0; i < seats.size(); ++i) seats[i]->slices = first[i];
}

/// All of a type, from nothing. False, and nothing changed but the seats, if that helps nobody.
bool Layout::place_anew(const Cluster& before, std::span<Seat*> seats, std::size_t type) {
  Cluster cluster = before;
  std::size_t without = 0, without_now = 0;
  for (Seat* seat : seats) {
    const Member& m = *seat->member;
    without += seat->placed() ? 0 : 1;
    const bool may_move =
        m.runs() && m.type == type && !m.guarded(view_.now) && goes_at_once(view_, m);
    if (may_move) cluster.give_back(view_.placements.of(m.job), milli(m));
    if (may_move || !m.runs() || m.type != type) seat->slices.clear();
  }
  for (Seat* seat : seats)
    if (!seat->placed() && !settle(cluster, *seat, type)) ++without_now;
  if (without_now >= without) return false;
  // Nobody who ran here may be the one who is left without.
  for (const Seat* seat : seats)
    if (!seat->placed() && seat->member->runs() && seat->member->type == type) return false;
  cluster_ = std::move(cluster);
  return true;
}

bool Layout::fill(Seat& seat, std::span<const std::size_t> types) {
  const Member& m = *seat.member;
  if (m.runs() && !goes_at_once(view_, m)) {
    // Its GPUs are still taken: it stays.
    const auto held = view_.placements.of(m.job);
    seat.slices.assign(held.begin(), held.end());
    return true;
  }
  if (m.runs() && settle(cluster_, seat, m.type)) return true;
  for (const std::size_t t : types) {
    if (full_.contains({m.shape, t})) continue;
    if (settle(cluster_, seat, t)) return true;
    full_.insert({m.shape, t});
  }
  return false;
}

}  // namespace muster::rounds
