#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "muster/core/time.hpp"

namespace muster {

/// How the GPUs of one node reach each other.
enum class Interconnect : std::uint8_t {
  none,        // one GPU, or nothing but the network
  pcie,        // through the PCIe switches and the host
  pcie_pairs,  // PCIe, and NVLink bridges between GPUs 0 and 1, 2 and 3, ...
  mesh,        // NVLink from GPU to GPU as in a DGX-1: its hybrid cube of eight, or a part of it
  full,        // a link of its own between any two (xGMI)
  nvswitch,    // any to any at the full rate
};
inline constexpr std::size_t kInterconnects = 6;
/// "none", "pcie", "pcie_pairs", "mesh", "full", "nvswitch".
std::string_view name(Interconnect);

inline constexpr std::uint32_t kMostNics = 64;  // of a node

/// What is inside a node and below it: how its GPUs reach each other, the network and the storage.
/// Bytes/s are per direction. A fleet has few of these; nodes that are alike share one.
struct Wiring {
  std::uint32_t gpus = 0;  // GPUs of the node
  Interconnect interconnect = Interconnect::none;
  double gpu_bytes_per_s = 0;   // all of a GPU's links to the others together
  double pcie_bytes_per_s = 0;  // a GPU's way to the host: between GPUs that have no better one
  std::uint32_t nics = 0;       // towards the fabric; 0: it has none
  double nic_bytes_per_s = 0;   // of each
  /// NIC k of every node is on leaf switch k of its group: rails. Without, all are on one switch.
  bool rails = false;
  /// What leaves by another rail first goes to a GPU of that rail inside the node (NCCL 2.12's PXN).
  bool pxn = false;
  double storage_bytes_per_s = 0;  // of the node; 0: not known
  double nvlink_bytes_per_s =
      0;  // of the node into an NVLink domain wider than itself; 0: it is in none
  Duration nvlink_latency = kUnknown;
  Duration nic_latency = kUnknown;  // from a node to its leaf
  std::string source;               // where the defaults are from; "" if all of it was said

  double network_bytes_per_s() const { return nics * nic_bytes_per_s; }
  /// The GPUs that NIC k serves, as a mask. Several GPUs share a NIC, or several NICs serve a GPU.
  std::uint64_t gpus_of_nic(std::uint32_t nic) const;
  /// The NICs that serve a GPU: `count` of them from `first` on; none if the node has none.
  struct Nics {
    std::uint32_t first = 0, count = 0;
  };
  Nics nics_of_gpu(std::uint32_t gpu) const;
  /// The NICs that serve at least one of these GPUs.
  std::uint32_t nics_of(std::uint64_t gpu_mask) const;
  /// Bytes/s of a copy from one GPU of the node to another, alone.
  double between(std::uint32_t a, std::uint32_t b) const;

  friend bool operator==(const Wiring&, const Wiring&) = default;
};

/// What a description says of a node's wiring. What it leaves open is as usual for the type of GPU.
struct WiringSaid {
  std::optional<Interconnect> interconnect;
  std::optional<double> gpu_bytes_per_s, pcie_bytes_per_s, nic_bytes_per_s, storage_bytes_per_s;
  std::optional<std::uint32_t> nics;
  std::optional<bool> rails, pxn;
};

/// What is usual for nodes of `gpus` GPUs of this type: see docs/fleets.md for the table.
Wiring default_wiring(std::string_view gpu_type, std::uint32_t gpus);

}  // namespace muster
