#include "muster/topology/wiring.hpp"

#include <algorithm>
#include <array>

#include "muster/core/check.hpp"

namespace muster {
namespace {

/// NVLinks between the GPUs of a DGX-1 with V100s (NVIDIA/nccl issue 671 quotes its topology file).
constexpr std::array<std::array<std::uint8_t, 8>, 8> kHybridCube{{{0, 1, 1, 2, 2, 0, 0, 0},
                                                                  {1, 0, 2, 1, 0, 2, 0, 0},
                                                                  {1, 2, 0, 2, 0, 0, 1, 0},
                                                                  {2, 1, 2, 0, 0, 0, 0, 1},
                                                                  {2, 0, 0, 0, 0, 1, 1, 2},
                                                                  {0, 2, 0, 0, 1, 0, 2, 1},
                                                                  {0, 0, 1, 0, 1, 2, 0, 2},
                                                                  {0, 0, 0, 1, 2, 1, 2, 0}}};
constexpr double kLinksInCube = 6;  // of one GPU

}  // namespace

std::string_view name(Interconnect interconnect) {
  static constexpr std::array<std::string_view, kInterconnects> names{"none", "pcie", "pcie_pairs",
                                                                      "mesh", "full", "nvswitch"};
  return names[static_cast<std::size_t>(interconnect)];
}

Wiring::Nics Wiring::nics_of_gpu(std::uint32_t gpu) const {
  MUSTER_CHECK(gpu < gpus);
  if (nics == 0) return {};
  if (nics < gpus) return {gpu * nics / gpus, 1};
  const std::uint32_t first = gpu * nics / gpus;
  return {first, (gpu + 1) * nics / gpus - first};
}

std::uint64_t Wiring::gpus_of_nic(std::uint32_t nic) const {
  std::uint64_t mask = 0;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    const Nics own = nics_of_gpu(gpu);
    if (nic >= own.first && nic < own.first + own.count) mask |= std::uint64_t{1} << gpu;
  }
  return mask;
}

std::uint32_t Wiring::nics_of(std::uint64_t gpu_mask) const {
  std::uint32_t count = 0, next = 0;  // NICs before `next` are counted: those of GPUs are in order
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    if (!(gpu_mask >> gpu & 1)) continue;
    const Nics own = nics_of_gpu(gpu);
    const std::uint32_t end = own.first + own.count;
    count += end - std::min(end, std::max(next, own.first));
    next = std::max(next, end);
  }
  return count;
}

double Wiring::between(std::uint32_t a, std::uint32_t b) const {
  MUSTER_CHECK(a < gpus && b < gpus && a != b);
  switch (interconnect) {
    case Interconnect::nvswitch:
      return gpu_bytes_per_s;
    case Interconnect::full:
      return gpu_bytes_per_s / (gpus - 1);
    case Interconnect::pcie_pairs:
      return a / 2 == b / 2 ? gpu_bytes_per_s : pcie_bytes_per_s;
    case Interconnect::mesh:
      if (gpus > kHybridCube.size()) return pcie_bytes_per_s;
      if (gpus == 2) return gpu_bytes_per_s;  // all links are between the two
      if (kHybridCube[a][b] == 0) return pcie_bytes_per_s;
      return gpu_bytes_per_s * kHybridCube[a][b] / kLinksInCube;
    case Interconnect::pcie:
    case Interconnect::none:
      return pcie_bytes_per_s;
  }
  return 0;
}

}  // namespace muster
