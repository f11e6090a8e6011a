// What is usual for nodes of a type of GPU. A fleet that says otherwise wins.
#include <array>
#include <cctype>

#include "muster/topology/wiring.hpp"

namespace muster {
namespace {

constexpr double kGB = 1e9;

struct Usual {
  std::string_view type;  // the beginning of a type's name, without signs and in small letters
  Interconnect interconnect;
  double gpu;                  // GB/s of all links of a GPU to the others, 0: PCIe only
  double pcie;                 // GB/s
  double nic;                  // GB/s of each NIC
  std::uint32_t gpus_per_nic;  // 0: one NIC to a node
  std::string_view source;
};

constexpr std::string_view kMl =
    "stas00/ml-engineering, network and accelerator tables (commit 744d01e)";
constexpr std::string_view kNoNic =
    "links: stas00/ml-engineering (commit 744d01e); one 100 Gb/s port to a node is assumed";

using enum Interconnect;
/// The longer of two names that begin alike stands first.
constexpr std::array kUsual{
    Usual{"gb300", nvswitch, 900, 121, 100, 1, kMl},
    Usual{"gb200", nvswitch, 900, 63, 50, 1, kMl},
    Usual{"gh200", nvswitch, 450, 63, 50, 1, kMl},
    Usual{"b300", nvswitch, 900, 121, 100, 1, kMl},
    Usual{"b200", nvswitch, 900, 63, 50, 1, kMl},
    Usual{"h200", nvswitch, 450, 63, 50, 1, kMl},
    Usual{"h800", nvswitch, 200, 63, 50, 1,
          "400 GB/s of NVLink both ways: commonly quoted, not checked; NICs as for H100"},
    Usual{"h100pcie", pcie, 0, 63, 12.5, 0, kNoNic},
    Usual{"h100", nvswitch, 450, 63, 50, 1, kMl},
    Usual{
        "a800", nvswitch, 200, 31, 25, 2,
        "400 GB/s of NVLink both ways: commonly quoted, not checked; one 200 Gb/s NIC to two GPUs: "
        "fitted on AlibabaPAI/reconfigurable-dl-scheduler"},
    Usual{"a100pcie", pcie, 0, 31, 12.5, 0, kNoNic},
    Usual{"a100", nvswitch, 300, 31, 25, 1,
          "stas00/ml-engineering (commit 744d01e); 8 x 200 Gb/s: Narayanan et al., SC21"},
    Usual{"v100pcie", pcie, 0, 16, 12.5, 0, kNoNic},
    Usual{"v100", mesh, 150, 16, 12.5, 2,
          "DGX-1: NVLink 2 of stas00/ml-engineering (commit 744d01e), 4 x 100 Gb/s"},
    Usual{"volta", mesh, 150, 16, 12.5, 2, "taken for V100 in DGX-1: as there"},
    Usual{"p100sxm", mesh, 80, 16, 12.5, 2,
          "DGX-1: NVLink 1 of stas00/ml-engineering (commit 744d01e), 4 x 100 Gb/s"},
    Usual{"p100", pcie, 0, 16, 12.5, 0, kNoNic},
    Usual{"pascal", pcie, 0, 16, 12.5, 0, "taken for P100 with PCIe: as there"},
    Usual{"mi300x", full, 448, 63, 50, 1, kMl},
    Usual{"mi250x", full, 350, 31, 12.5, 0, kNoNic},
    Usual{"l40s", pcie, 0, 31, 12.5, 0, kNoNic},
    Usual{"a10", pcie, 0, 31, 12.5, 0, kNoNic},
    Usual{"t4", pcie, 0, 16, 12.5, 0, kNoNic},
    Usual{"", pcie, 0, 31, 12.5, 0,
          "assumed: this type of GPU is not known; PCIe 4 and one 100 Gb/s port to a node"},
};

const Usual& usual(std::string_view gpu_type) {
  std::string plain;
  for (const char c : gpu_type)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (plain.starts_with("nvidia")) plain.erase(0, 6);
  for (const Usual& row : kUsual)
    if (plain.starts_with(row.type)) return row;
  return kUsual.back();
}

}  // namespace

Wiring default_wiring(std::string_view gpu_type, std::uint32_t gpus) {
  const Usual& row = usual(gpu_type);
  Wiring wiring;
  wiring.gpus = gpus;
  wiring.interconnect = row.interconnect;
  // DGX-2: sixteen V100s on switches. Any other mesh of more than eight is none.
  if (row.interconnect == mesh && gpus > 8) wiring.interconnect = nvswitch;
  if (gpus == 1) wiring.interconnect = none;
  wiring.gpu_bytes_per_s = (gpus > 1 && row.gpu > 0 ? row.gpu : row.pcie) * kGB;
  wiring.pcie_bytes_per_s = row.pcie * kGB;
  wiring.nics = row.gpus_per_nic == 0 ? 1 : (gpus + row.gpus_per_nic - 1) / row.gpus_per_nic;
  wiring.nic_bytes_per_s = row.nic * kGB;
  wiring.rails = wiring.nics > 1;
  wiring.pxn = wiring.rails && wiring.interconnect == nvswitch;
  wiring.source = row.source;
  return wiring;
}

}  // namespace muster
