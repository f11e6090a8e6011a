#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/cost/calibration.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/topology/wiring.hpp"

namespace muster {

/// GPUs that communicate, reduced to what the time of their collectives depends on. A domain is an
/// NVLink domain: a node, or what is wider (NVL72). Rates in GB/s, per direction.
struct GpuGroup {
  std::uint32_t gpus = 1;
  std::uint32_t nodes = 1;
  std::uint32_t domains = 1;
  std::uint32_t least = 1;  // GPUs in the domain that has the fewest of them
  std::uint32_t most = 1;
  std::uint32_t links = 0;    // index into Calibration::links
  double link_rate = 0;       // of a GPU to the others of its domain, all links or rings together
  double tree_rate = 0;       // where links form no ring: of the one tree that is left; else 0
  bool in_switch = false;     // there is an NVSwitch between them
  double rails_rate = 0;      // the NICs of the domain that has the fewest of them, together
  double nic_rate = 0;        // network per GPU where it is scarcest
  double spine_share = 1;     // what is left of that beyond the leaf
  double alltoall_share = 1;  // the same for traffic between rails
  friend bool operator==(const GpuGroup&, const GpuGroup&) = default;
};

/// How the GPUs of one node that a job uses reach each other. Which GPUs matters where there is no switch.
struct Inside {
  std::uint32_t links = 0;  // index into Calibration::links
  double link_rate = 0;
  double tree_rate = 0;
  bool in_switch = false;
};

/// A fleet as the cost model sees it: what it asks of wires and domains, looked up once.
class CostMap {
 public:
  CostMap(const Fleet& fleet, const Calibration& calibration);

  const Fleet& fleet() const { return *fleet_; }
  const Calibration& calibration() const { return *calibration_; }
  /// Null if the calibration has no such type.
  const GpuSpec* gpu(std::uint32_t pool) const { return gpus_[pool]; }

  /// Slices must be in node order and in one fabric, and the types of their GPUs known.
  GpuGroup group(std::span<const Slice> slices) const;

 private:
  struct Node {  // by wiring and pool
    const Wiring* wiring = nullptr;
    std::vector<Inside> by_mask;  // where which GPUs matters; else one entry per number of GPUs
    bool masks_matter = false;
    bool wide = false;  // in an NVLink domain of several nodes
  };
  const Node& node(NodeId n) const { return nodes_[node_of_[n]]; }
  const Inside& inside(NodeId n, GpuMask gpus) const;
  void add_shares(GpuGroup& group, NodeId first, NodeId last) const;

  const Fleet* fleet_;
  const Calibration* calibration_;
  std::vector<const GpuSpec*> gpus_;  // by pool
  std::vector<Node> nodes_;
  IdVector<NodeId, std::uint16_t> node_of_;
  IdVector<NodeId, std::uint32_t> alike_until_;  // the first node behind it that is not as it is
  std::vector<double> leaf_share_, pod_share_;   // of what is below, what its uplinks carry
};

/// Rings that the links between some GPUs form, each in one direction, so that every link is used at
/// most once per direction; 0 if none goes through all of them. links(a, b): how many are between two.
std::uint32_t rings_in_mesh(std::span<const std::vector<std::uint32_t>> links);

}  // namespace muster
