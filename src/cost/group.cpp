#include "muster/cost/group.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "muster/core/check.hpp"
#include "muster/topology/fabric.hpp"

namespace muster {
namespace {

constexpr double kGiga = 1e-9;      // bytes/s -> GB/s
constexpr double kLinksInCube = 6;  // NVLinks of a GPU in a mesh (V100)
constexpr std::uint32_t kMostInMesh = 8;

std::vector<std::uint32_t> gpus_of(GpuMask mask) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t g = 0; g < 64; ++g)
    if (mask >> g & 1) out.push_back(g);
  return out;
}

bool connected(const std::vector<std::vector<std::uint32_t>>& links) {
  std::vector<std::uint32_t> reached{0};
  std::vector<bool> seen(links.size());
  seen[0] = true;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (std::uint32_t next = 0; next < links.size(); ++next)
      if (links[reached[i]][next] > 0 && !seen[next]) {
        seen[next] = true;
        reached.push_back(next);
      }
  return reached.size() == links.size();
}

std::uint32_t links_called(const Calibration& calibration, std::string_view name) {
  const std::size_t i = calibration.links_of(name);
  MUSTER_CHECK(i < calibration.links.size());  // io sees to it that those used below exist
  return static_cast<std::uint32_t>(i);
}

Inside over_pcie(const Wiring& wiring, const Calibration& calibration) {
  return {links_called(calibration, "pcie"), wiring.pcie_bytes_per_s * kGiga, 0, false};
}

Inside in_mesh(const Wiring& wiring, GpuMask mask, const Calibration& calibration) {
  const std::vector<std::uint32_t> gpus = gpus_of(mask);
  if (gpus.size() < 2) return over_pcie(wiring, calibration);
  const double link = wiring.gpu_bytes_per_s / kLinksInCube;
  std::vector<std::vector<std::uint32_t>> links(gpus.size(),
                                                std::vector<std::uint32_t>(gpus.size()));
  for (std::size_t a = 0; a < gpus.size(); ++a)
    for (std::size_t b = 0; b < gpus.size(); ++b) {
      if (a == b) continue;
      const double rate = wiring.between(gpus[a], gpus[b]);
      if (rate != wiring.pcie_bytes_per_s)
        links[a][b] = static_cast<std::uint32_t>(std::lround(rate / link));
    }
  const std::uint32_t mesh = links_called(calibration, "mesh");
  if (const std::uint32_t rings = rings_in_mesh(links); rings > 0)
    return {mesh, rings * link * kGiga, 0, false};
  if (connected(links)) return {mesh, link * kGiga, link * kGiga, false};
  return over_pcie(wiring, calibration);
}

Inside of_number(const Wiring& wiring, std::uint32_t gpus, const GpuSpec& gpu,
                 const Calibration& calibration) {
  switch (wiring.interconnect) {
    case Interconnect::nvswitch:
      return {links_called(calibration, gpu.generation), wiring.gpu_bytes_per_s * kGiga, 0, true};
    case Interconnect::full:  // n GPUs form n - 1 rings, each over links of their own
      return {links_called(calibration, "full"),
              wiring.gpu_bytes_per_s * kGiga * (gpus > 1 ? gpus - 1 : 1) / (wiring.gpus - 1), 0,
              false};
    default:
      return over_pcie(wiring, calibration);
  }
}

Inside of_mask(const Wiring& wiring, GpuMask mask, const Calibration& calibration) {
  if (wiring.interconnect == Interconnect::mesh) return in_mesh(wiring, mask, calibration);
  const std::vector<std::uint32_t> gpus = gpus_of(mask);
  if (gpus.size() == 2 && gpus[0] / 2 == gpus[1] / 2)  // a bridged pair
    return {links_called(calibration, "mesh"), wiring.gpu_bytes_per_s * kGiga, 0, false};
  return over_pcie(wiring, calibration);
}

/// Worse of two nodes: the slowest sets the pace.
void slow_down(GpuGroup& group, const Inside& inside) {
  if (group.link_rate != 0 && inside.link_rate >= group.link_rate &&
      (inside.tree_rate == 0 || group.tree_rate > 0))
    return;
  group.links = inside.links;
  group.link_rate = inside.link_rate;
  group.tree_rate = inside.tree_rate;
}

}  // namespace

CostMap::CostMap(const Fleet& fleet, const Calibration& calibration)
    : fleet_(&fleet), calibration_(&calibration) {
  for (const Fleet::Pool& pool : fleet.pools) gpus_.push_back(calibration.gpu(pool.gpu_type));
  std::map<std::pair<std::uint16_t, std::uint8_t>, std::uint16_t> known;
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n) {
    const NodeId id{n};
    const std::uint8_t pool = fleet.nodes[id].pool;
    const auto [at, fresh] = known.try_emplace({fleet.fabric->wiring_of[id], pool},
                                               static_cast<std::uint16_t>(nodes_.size()));
    node_of_.push_back(at->second);
    if (!fresh) continue;
    Node node;
    node.wiring = &fleet.wiring(id);
    const Wiring& w = *node.wiring;
    node.wide = w.nvlink_bytes_per_s > 0;
    node.masks_matter = w.interconnect == Interconnect::mesh
                            ? w.gpus <= kMostInMesh
                            : w.interconnect == Interconnect::pcie_pairs && w.gpus <= kMostInMesh;
    if (const GpuSpec* gpu = gpus_[pool]) {
      if (node.masks_matter)
        for (GpuMask mask = 0; mask < GpuMask{1} << w.gpus; ++mask)
          node.by_mask.push_back(of_mask(w, mask, calibration));
      else
        for (std::uint32_t count = 0; count <= w.gpus; ++count)
          node.by_mask.push_back(of_number(w, count, *gpu, calibration));
    }
    nodes_.push_back(std::move(node));
  }
  alike_until_.resize(fleet.nodes.size());
  for (std::uint32_t n = static_cast<std::uint32_t>(fleet.nodes.size()); n-- > 0;) {
    const bool last = n + 1 == fleet.nodes.size() || node_of_[NodeId{n + 1}] != node_of_[NodeId{n}];
    alike_until_[NodeId{n}] = last ? n + 1 : alike_until_[NodeId{n + 1}];
  }
  const auto shares = [&](Level level, std::vector<double>& out) {
    const std::size_t count = fleet.domains[static_cast<std::size_t>(level)].size();
    for (std::uint32_t d = 0; d < count; ++d) out.push_back(1 / oversubscription(fleet, level, d));
  };
  shares(Level::leaf, leaf_share_);
  shares(Level::pod, pod_share_);
}

const Inside& CostMap::inside(NodeId n, GpuMask gpus) const {
  const Node& known = node(n);
  const std::size_t at = known.masks_matter ? gpus : count(gpus);
  MUSTER_CHECK(at < known.by_mask.size());  // a type of GPU that the calibration knows
  return known.by_mask[at];
}

void CostMap::add_shares(GpuGroup& group, NodeId first, NodeId last) const {
  const auto domain = [&](Level level, NodeId n) {
    return fleet_->domain_of[static_cast<std::size_t>(level)][n];
  };
  const double spread = calibration_->network.hash_spread;
  double share = 1;
  const auto worst = [&](Level level, const std::vector<double>& shares) {
    const std::uint32_t a = domain(level, first), b = domain(level, last);
    if (a == b) return;
    for (std::uint32_t d = a; d <= b; ++d) share = std::min(share, spread * shares[d]);
  };
  worst(Level::leaf, leaf_share_);
  worst(Level::pod, pod_share_);
  group.spine_share = share;
  group.alltoall_share = share;
  // Without PXN what is sent to another rail leaves the rail's leaf, whoever receives it.
  const Wiring& wiring = *node(first).wiring;
  if (wiring.rails && !wiring.pxn)
    group.alltoall_share = std::min(share, spread * leaf_share_[domain(Level::leaf, first)]);
}

GpuGroup CostMap::group(std::span<const Slice> slices) const {
  GpuGroup group;
  group.gpus = group.nodes = group.domains = 0;
  group.least = ~0u;
  group.most = 0;
  group.in_switch = true;
  double rails = 0, domain_rails = 0;
  std::uint32_t domain_gpus = 0, domain = ~0u;
  const auto end_domain = [&] {
    if (domain_gpus == 0) return;
    group.least = std::min(group.least, domain_gpus);
    group.most = std::max(group.most, domain_gpus);
    const double per_gpu = domain_rails / domain_gpus;
    if (rails == 0 || domain_rails < rails) rails = domain_rails;
    if (group.nic_rate == 0 || per_gpu < group.nic_rate) group.nic_rate = per_gpu;
    ++group.domains;
    domain_gpus = 0;
    domain_rails = 0;
  };
  const auto& domains = fleet_->domain_of[static_cast<std::size_t>(Level::nvlink)];
  for (const Slice& slice : slices) {
    const std::uint32_t gpus = count(slice.gpus);
    for (std::uint32_t k = 0; k < slice.count;) {
      const NodeId n{slice.first.value + k};
      if (domains[n] != domain) end_domain();
      domain = domains[n];
      const Node& known = node(n);
      const Inside& in = inside(n, slice.gpus);
      if (gpus > 1 || known.wide) {
        slow_down(group, in);
        group.in_switch = group.in_switch && in.in_switch;
      } else if (group.link_rate == 0) {
        group.links = in.links;
      }
      domain_gpus += gpus;
      domain_rails += known.wiring->nics_of(slice.gpus) * known.wiring->nic_bytes_per_s * kGiga;
      // The nodes behind it that are alike, each a domain of its own, add only to the counts.
      const std::uint32_t alike =
          known.wide ? 1 : std::min(slice.count - k, alike_until_[n] - n.value);
      group.gpus += gpus * alike;
      group.nodes += alike;
      group.domains += alike - 1;
      k += alike;
    }
  }
  end_domain();
  group.in_switch = group.in_switch && group.most > 1;
  group.rails_rate = rails;
  if (!slices.empty() && group.domains > 1)
    add_shares(group, slices.front().first,
               NodeId{slices.back().first.value + slices.back().count - 1});
  return group;
}

}  // namespace muster
