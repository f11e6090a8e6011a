#pragma once
#include <map>
#include <string>
#include <vector>

#include "muster/engine/outages.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// What a run knows of nodes that leave and come back, and of what is kept for whom. The engine's own
/// notes; the policy sees the calendar.
struct Availability {
  struct Node {
    std::uint32_t down = 0, maintenance = 0;  // outages in force
    bool spare = false;
    std::uint32_t failures = 0;  // drawn so far
    std::uint32_t window = 0;    // of the present one
    Service service = Service::up;
  };
  struct Reservation {
    enum class State { unasked, denied, confirmed, over } state = State::unasked;
    std::uint32_t window = 0;
    SimTime to = kNever;
    NameId name{};            // by which the workload's jobs are tied to it; "" = none are
    std::vector<JobId> tied;  // that were submitted
    std::string text;         // why it was denied
  };

  /// Interruptions of a job since it last kept some work.
  struct InVain {
    std::uint32_t times = 0;
    SimTime since = kStart;
  };

  Availability(const OutagePlan& p, const Fleet& fleet)
      : plan(p),
        nodes(fleet.nodes.size()),
        window_of(p.outages.size()),
        reservations(p.reservations.size()) {}

  const OutagePlan& plan;
  Calendar calendar;
  IdVector<NodeId, Node> nodes;
  std::vector<std::uint32_t> window_of;  // by outage: its number in the calendar, 0 = none
  std::vector<Reservation> reservations;
  std::map<NameId, std::uint32_t> by_name;  // reservations that jobs are tied to
  std::map<JobId, InVain> in_vain;
  std::uint32_t spares = 0;  // their number in the calendar
};

}  // namespace muster
