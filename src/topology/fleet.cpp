#include "muster/topology/fleet.hpp"

#include <map>

#include "muster/core/check.hpp"
#include "muster/topology/fabric.hpp"

namespace muster {
namespace {

constexpr std::size_t kNode = static_cast<std::size_t>(Level::node);
constexpr std::size_t kNvlink = static_cast<std::size_t>(Level::nvlink);
constexpr std::size_t kFleet = static_cast<std::size_t>(Level::fleet);

void check_partition(const std::vector<NodeRange>& domains, std::size_t nodes) {
  std::uint32_t next = 0;
  for (const NodeRange& range : domains) {
    MUSTER_CHECK(range.first == next && range.last > range.first);
    next = range.last;
  }
  MUSTER_CHECK(next == nodes);
}

/// Wirings that are usual for the types of GPUs.
std::shared_ptr<const Fabric> usual_fabric(const Fleet& fleet) {
  Fabric fabric;
  std::map<std::pair<std::uint8_t, std::uint32_t>, std::uint16_t> known;  // by pool and GPUs
  fabric.wiring_of.reserve(fleet.nodes.size());
  for (std::uint32_t i = 0; i < fleet.nodes.size(); ++i) {
    const std::uint8_t pool = fleet.nodes[NodeId{i}].pool;
    const std::uint32_t gpus = fleet.gpus_of(NodeId{i});
    const auto [at, is_new] = known.try_emplace({pool, gpus});
    if (is_new) {
      at->second = static_cast<std::uint16_t>(fabric.wirings.size());
      fabric.wirings.push_back(default_wiring(fleet.pools[pool].gpu_type, gpus));
    }
    fabric.wiring_of.push_back(at->second);
  }
  return std::make_shared<const Fabric>(std::move(fabric));
}

}  // namespace

const Wiring& Fleet::wiring(NodeId n) const { return fabric->wirings[fabric->wiring_of[n]]; }

std::string_view name(Level level) {
  static constexpr std::array<std::string_view, kLevels> names{"node", "nvlink", "leaf",
                                                               "pod",  "fabric", "fleet"};
  return names[static_cast<std::size_t>(level)];
}

std::string Fleet::domain_name(Level level, std::uint32_t index) const {
  if (level == Level::node) return node_name(NodeId{index});
  const auto& names = domain_names[static_cast<std::size_t>(level)];
  if (index < names.size() && !names[index].empty()) return names[index];
  if (level == Level::fleet) return "fleet";
  return std::string{muster::name(level)} + " " + std::to_string(index);
}

Fleet Fleet::uniform(std::uint32_t count, std::uint8_t gpus) {
  Fleet fleet;
  fleet.name = std::to_string(count) + "x" + std::to_string(gpus);
  fleet.nodes.assign(count, Node{gpus, 0});
  fleet.pools.push_back({"", 0, 0, 0});
  fleet.index();
  return fleet;
}

void Fleet::index() {
  const auto count = static_cast<std::uint32_t>(nodes.size());
  gpus = 0;
  widest = 0;
  for (Pool& pool : pools) pool.gpus = pool.nodes = pool.widest = 0;
  MUSTER_CHECK(count > 0 && pools.size() <= 64);
  MUSTER_CHECK(node_names.empty() || node_names.size() == count);
  for (const Node& node : nodes) {
    MUSTER_CHECK(node.gpus >= 1 && node.gpus <= 64 && node.pool < pools.size());
    Pool& pool = pools[node.pool];
    const std::uint32_t here = node.gpus / pool.bits_per_gpu();
    gpus += here;
    pool.gpus += here;
    ++pool.nodes;
    pool.widest = std::max(pool.widest, node.gpus);
    widest = std::max(widest, node.gpus);
  }

  MUSTER_CHECK(domains[kNode].empty());
  if (domains[kFleet].empty()) domains[kFleet].push_back({0, count});
  for (std::size_t level = kFleet - 1; level > kNvlink; --level) {
    if (!domains[level].empty()) continue;
    domains[level] = domains[level + 1];
    domain_names[level] = domain_names[level + 1];
  }
  if (domains[kNvlink].empty()) {
    domains[kNvlink].reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) domains[kNvlink].push_back({i, i + 1});
  }

  for (std::size_t level = kNvlink; level < kLevels; ++level) {
    const auto& own = domains[level];
    check_partition(own, count);
    MUSTER_CHECK(domain_names[level].empty() || domain_names[level].size() == own.size());
    domain_of[level].resize(count);
    for (std::uint32_t d = 0; d < own.size(); ++d)
      for (std::uint32_t i = own[d].first; i < own[d].last; ++i) domain_of[level][NodeId{i}] = d;
  }
  // Nested: the first and the last node of a domain are in the same domain of the next level.
  for (std::size_t level = kNvlink; level < kFleet; ++level)
    for (const NodeRange& range : domains[level])
      MUSTER_CHECK(domain_of[level + 1][NodeId{range.first}] ==
                   domain_of[level + 1][NodeId{range.last - 1}]);
  if (!fabric) fabric = usual_fabric(*this);
  MUSTER_CHECK(fabric->wiring_of.size() == count);
}

}  // namespace muster
