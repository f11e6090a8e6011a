#pragma once
#include <map>
#include <string>
#include <vector>

#include "muster/engine/outages.hpp"
#include "muster/engine/record.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// What a run knows of nodes that leave and come back, and of what is kept for whom. The engine's own
/// notes; the policy sees the calendar.
struct Availability {
  struct Node {
    std::uint32_t down = 0, maintenance = 0;  // outages in force
    bool spare = false, cold = false;         // cold: it works a while after it was chosen
    Service service = Service::up;
  };
  /// That fails by a clock of its own.
  struct Thing {
    std::uint32_t process = 0;
    std::uint32_t number = 0;    // among those of its process
    NodeId node{};               // its own; for a domain its first one
    std::uint32_t failures = 0;  // so far
    std::uint32_t window = 0;    // of the present outage
  };
  struct Reservation {
    enum class State { unasked, denied, confirmed, over } state = State::unasked;
    std::uint32_t window = 0;
    SimTime to = kNever;
    NameId name{};            // by which the workload's jobs are tied to it; "" = none are
    std::vector<JobId> tied;  // that were submitted
    std::string text;         // why it was denied
  };

  /// Of a node that has failed, where those that do so too often are taken out.
  struct Faults {
    std::vector<SimTime> failures;  // that still count
    std::uint32_t window = 0;       // of its quarantine; 0: it is in none
  };

  /// The node that has taken the place of one that failed: whoever else was there goes with it.
  struct StandIn {
    NodeId node{};
    SimTime since = kNever;
    Duration activation{};  // that it takes
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
        reservations(p.reservations.size()) {
    for (const FailureProcess& process : p.failures.processes) cause(process.name);
  }

  /// The number of a cause among the counts.
  std::size_t cause(const std::string& name) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i].cause == name) return i;
    counts.push_back({name});
    return counts.size() - 1;
  }

  const OutagePlan& plan;
  Calendar calendar;
  IdVector<NodeId, Node> nodes;
  std::vector<std::uint32_t> window_of;  // by outage: its number in the calendar, 0 = none
  std::vector<Reservation> reservations;
  std::map<NameId, std::uint32_t> by_name;  // reservations that jobs are tied to
  std::map<JobId, InVain> in_vain;
  std::map<NodeId, Faults> failed;
  std::map<NodeId, StandIn> stand_ins;    // of nodes that have failed
  std::vector<Thing> things;              // in the order of the processes
  std::vector<OutageCount> counts;        // by cause: the processes first
  std::map<JobId, std::uint32_t> starts;  // where workers become ready one by one
  std::vector<Record::Worker> workers;    // of the job at hand
  std::uint64_t never_ready = 0;          // starts of gangs that were not all ready at once
  std::map<JobId, std::size_t> hung;      // by which cause, before anybody has noticed
  std::uint32_t spares = 0;               // their number in the calendar
};

}  // namespace muster
