#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "muster/cluster/cluster.hpp"
#include "muster/core/time.hpp"

namespace muster {

/// A stretch of time in which some nodes are out of service, or kept for somebody.
struct Window {
  enum class Kind : std::uint8_t { down, maintenance, reservation, spare };
  Kind kind = Kind::maintenance;
  SimTime from{}, to = kNever;  // half open; kNever: nobody knows when they are back
  std::vector<NodeId> nodes;    // ascending
  std::string name;             // what it is called in texts
  NameId reservation{};         // by which jobs are tied to it; "" = by none
  std::uint32_t number = 0;     // by which it is taken out again
  bool overlaps(SimTime begin, SimTime end) const { return from < end && begin < to; }
};

/// Of what use a node is. The worst of what is true of it.
enum class Service : std::uint8_t {
  up,
  spare,        // idle, to take the place of one that fails
  maintenance,  // in a planned outage
  down          // failed, or under repair
};
std::string_view name(Service);  // "maintenance"

/// What is known by now of the times in which nodes will not be there for everybody (CONVENTIONS C12).
/// Nodes of outages in force are fenced in the cluster; those of reservations are free there, and a
/// job that is not tied to one must keep off them.
class Calendar {
 public:
  bool empty() const { return windows_.empty(); }
  /// In the order in which they became known.
  std::span<const Window> windows() const { return windows_; }
  /// Changes with the windows, and when one begins.
  std::uint64_t version() const { return version_; }
  void begun() { ++version_; }

  std::uint32_t add(Window w);
  void remove(std::uint32_t number);
  const Window* find(std::uint32_t number) const;
  /// It is about other nodes from now on.
  void change(std::uint32_t number, std::vector<NodeId> nodes);

  /// Whether anything in it depends on time: all but spares and failures without an announced return does.
  bool timed() const { return timed_ > 0; }
  /// The one that jobs tied by `name` run in; nullptr if there is none (any more, or yet).
  const Window* reservation(NameId name) const;
  /// Whether a job of everybody's that holds its GPUs over [now, end) must keep off nodes that are not
  /// fenced in the cluster at `now`.
  bool restricts(SimTime now, SimTime end) const;
  /// Fences the nodes of all windows that overlap [begin, end), but those of `own`.
  void fence(Cluster& cluster, SimTime begin, SimTime end, const Window* own = nullptr) const;
  /// When windows begin after `now`: ascending, each once.
  std::vector<SimTime> begins_after(SimTime now) const;

  /// A stretch in which thousandths of GPUs of a pool are not there: windows that overlap count once.
  struct Loss {
    SimTime from, to;
    std::size_t pool;
    std::int64_t milli;
  };
  std::vector<Loss> losses(const Fleet& fleet) const;

 private:
  std::vector<Window> windows_;
  std::uint64_t version_ = 0;
  std::uint32_t next_ = 1;
  std::size_t timed_ = 0;
};

}  // namespace muster
