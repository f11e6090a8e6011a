#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/topology/fabric.hpp"

namespace muster {

/// All links of a fleet under one numbering, with what each carries and how that changes while it runs.
///
/// There is a link per NIC (to its leaf), per rail of each leaf (to its pod) and of each pod (to the core),
/// per node into an NVLink domain wider than a node, and to the storage of each fabric. Parallel cables are
/// one link: when some of them fail the others carry what they can, which is a lower capacity here.
/// Nodes that are alike have one entry, so a million GPUs take a few bytes each.
class Links {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = UINT32_MAX;

  explicit Links(const Fleet& fleet);

  std::size_t size() const { return size_; }
  Id nic(NodeId node, std::uint32_t nic) const;
  Id nvlink(NodeId node) const;
  /// Up from a leaf or a pod. A fabric without rails has rail 0 alone.
  Id up(Level level, std::uint32_t domain, std::uint32_t rail) const;
  Id storage(std::uint32_t fabric) const { return storage_ + fabric; }
  /// The fabric whose storage the link leads to; nothing if it is another link.
  std::optional<std::uint32_t> fabric_of_storage(Id link) const {
    if (link < storage_) return std::nullopt;
    return link - storage_;
  }
  /// Rails of a leaf or a pod.
  std::uint32_t rails(Level level, std::uint32_t domain) const;

  /// Bytes/s per direction, when all is well.
  double built_for(Id link) const;
  /// The same of each rail of a leaf or a pod: they are alike.
  double built_for(Level level, std::uint32_t domain) const {
    return up_[static_cast<std::size_t>(level)].rate[domain];
  }
  /// Bytes/s per direction, as it is now.
  double capacity(Id link) const;
  Duration latency(Id link) const;
  /// "NIC 3 of n17", "rail 3 of leaf 2"
  std::string name(Id link) const;

  /// From now on the link carries this share of what it was built for: 1 all, 0 nothing.
  void set_health(Id link, double health);
  double health(Id link) const;

  /// The links from a GPU on `rail` of one node to one of another, in order; none if they are one node,
  /// or are in one NVLink domain (then its two links), or in two fabrics. Where a rail is broken on the way
  /// and the nodes can change rails inside (PXN), the next one that works is taken. Returns the rail taken,
  /// or kNone if there is no way. Costs O(levels), times the rails that are broken.
  std::uint32_t route(NodeId from, NodeId to, std::uint32_t rail, std::vector<Id>& path) const;

 private:
  void number_uplinks(Level level);
  struct Place {
    enum class Kind : std::uint8_t { nic, nvlink, leaf, pod, storage } kind;
    std::uint32_t domain = 0, rail = 0;
  };
  Place place(Id link) const;
  bool path_on(NodeId from, NodeId to, std::uint32_t rail, std::vector<Id>& path) const;

  const Fleet* fleet_;
  std::uint32_t nics_ = 0;          // of each node, if all have as many
  IdVector<NodeId, Id> first_nic_;  // otherwise
  Id nvlink_ = 0, storage_ = 0;
  struct Uplinks {
    std::vector<Id> first;     // of each domain, and one more for the end
    std::vector<double> rate;  // of one rail of each domain
  };
  std::array<Uplinks, kLevels> up_;   // of leaf and pod
  std::vector<double> storage_rate_;  // of each fabric
  Id size_ = 0;
  std::unordered_map<Id, double> health_;  // of those that are not all right
};

}  // namespace muster
