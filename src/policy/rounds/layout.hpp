#pragma once
#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "members.hpp"
#include "muster/policy/parts/placer.hpp"

namespace muster::rounds {

/// A member that is to have GPUs in the round that begins, or not.
struct Seat {
  Member* member = nullptr;
  std::vector<Slice> slices;  // none: it waits
  bool placed() const { return !slices.empty(); }
};

/// Where everybody sits in a round, found on a copy of the cluster: first those who stay where they are,
/// then those who come to a type, widest first. Where one of these finds no place though there are GPUs
/// enough, all of that type are placed anew, widest first, each where it sat if that is still free: then
/// some must move. Whoever has a grace time to go holds its GPUs until that is over.
class Layout {
 public:
  using DemandOn = std::function<const Demand&(const Member&, std::size_t type)>;

  Layout(const View& view, Placer& placer, DemandOn demand)
      : view_(view), placer_(placer), demand_(std::move(demand)), cluster_(view.cluster) {}

  /// `seats`: all members that run or are chosen, those to be served first in front. Those that are
  /// chosen and find no place stay without.
  void arrange(std::span<Seat> seats);
  /// A place for a member that nobody has chosen: where it sits, or on the first of `types` that has
  /// room.
  bool fill(Seat& seat, std::span<const std::size_t> types);

 private:
  void arrange_type(std::span<Seat*> seats, std::size_t type);
  bool place_anew(const Cluster& before, std::span<Seat*> seats, std::size_t type);
  bool sits_free(const Cluster& cluster, const Member& m) const;
  bool settle(Cluster& cluster, Seat& seat, std::size_t type);
  std::uint32_t milli(const Member& m) const { return view_.demands[m.shape].milli; }

  const View& view_;
  Placer& placer_;
  DemandOn demand_;
  Cluster cluster_;  // as it will be
  std::vector<Slice> slices_;
  std::set<std::pair<ShapeId, std::size_t>>
      full_;  // fill(): shapes for which a type has no room left
};

/// Whether its GPUs come back at once if it is told to go.
inline bool goes_at_once(const View& view, const Member& m) {
  return view.jobs.grace(m.job) == Duration{};
}

}  // namespace muster::rounds
