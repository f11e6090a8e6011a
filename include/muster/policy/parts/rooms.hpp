#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/cluster/cluster.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// Which GPUs a job may start on by what the calendar says (CONVENTIONS C11, C12): it keeps off nodes
/// that it would still hold when an outage begins, and off those that are reserved for others. Where the
/// calendar is empty every answer is the cluster itself, at no cost.
///
/// `stamp` changes whenever the cluster has changed; what was found is kept until then.
class Rooms {
 public:
  void begin(const View& view);

  /// The cluster for a job of everybody's that holds its GPUs from now until `end`.
  const Cluster& until(const View& view, SimTime end, std::uint64_t stamp);
  /// The cluster for a job that is tied to `reservation`, which is in force.
  const Cluster& inside(const View& view, const Window& reservation, SimTime end);

  /// The longest time for which a job that asks for `d` could run from now on; below 0 if none could
  /// start at all.
  Duration longest(const View& view, const Demand& d, std::uint64_t stamp);

  /// Not even if nobody else ran: nodes are down, and nobody knows until when.
  bool hopeless(const View& view, const Demand& d);

  /// Why a job that would run until `end` does not start: the reservations or outages in its way.
  /// Nothing if they are not the reason.
  std::optional<Cause> cause(const View& view, const Demand& d, SimTime end, std::uint64_t stamp);
  /// The same in words.
  std::string text(const View& view, const Demand& d, SimTime end);

 private:
  const Cluster& room(const View& view, std::size_t begun);
  void refresh(const View& view, std::uint64_t stamp);

  std::vector<SimTime> begins_;                // of windows to come
  std::vector<std::optional<Cluster>> rooms_;  // by how many of them come before the job's end
  SimTime now_ = kNever;
  std::uint64_t stamp_ = 0, version_ = 0;
  std::optional<Cluster> own_;  // scratch
  std::optional<Cluster> up_;   // empty, without the nodes that are gone for nobody knows how long
  std::uint64_t up_version_ = 0;
  std::vector<NodeId> gone_;  // those nodes
};

/// The same view of another cluster: "what if".
View with_cluster(const View& view, const Cluster& cluster);

}  // namespace muster
