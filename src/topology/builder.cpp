#include "muster/topology/builder.hpp"

#include <algorithm>
#include <cmath>

#include "muster/core/error.hpp"
#include "muster/topology/mig.hpp"
#include "topology/boost_graph.hpp"

namespace muster {
namespace {

constexpr FleetGraph::Vertex kNoParent = Forest::kNone;

void check_gpus(std::uint64_t gpus, std::string_view where) {
  if (gpus < 1 || gpus > kMostGpusPerNode)
    throw InputError(where,
                     "a node of " + std::to_string(gpus) + " GPUs; expected 1 to " +
                         std::to_string(kMostGpusPerNode),
                     gpus == 0 ? "nodes without GPUs are not part of a fleet: leave them out"
                               : "describe a wider machine as several nodes of one NVLink domain");
}

/// A node's slots are bits of one mask.
void check_mig(std::uint64_t gpus, const std::string& mig, std::string_view where) {
  if (mig.empty() || gpus <= kMostMigGpusPerNode) return;
  throw InputError(where,
                   "a node of " + std::to_string(gpus) + " GPUs in MIG mode; expected at most " +
                       std::to_string(kMostMigGpusPerNode),
                   "describe a wider machine as several nodes");
}

void check_wiring(const NodeGroup& group, std::string_view where) {
  check_gpus(group.gpus, where);
  check_mig(group.gpus, group.mig, where);
  if (group.count < 1 || group.count > kMostNodes)
    throw InputError(
        where, std::to_string(group.count) + " nodes; expected 1 to " + std::to_string(kMostNodes));
  if (group.leaves_per_pod > 0 && group.nodes_per_leaf == 0)
    throw InputError(where, "leaves_per_pod without nodes_per_leaf",
                     "say how many nodes a leaf has, or leave out leaves_per_pod");
  if (group.pods_per_fabric > 0 && group.leaves_per_pod == 0)
    throw InputError(where, "pods_per_fabric without leaves_per_pod",
                     "say how many leaves a pod has, or leave out pods_per_fabric");
  if (group.nvlink_nodes == 0)
    throw InputError(where, "nvlink_nodes is 0; expected 1 or more",
                     "1 means that each node is an NVLink domain of its own");
  if (group.nodes_per_leaf % group.nvlink_nodes != 0)
    throw InputError(where,
                     "nodes_per_leaf is " + std::to_string(group.nodes_per_leaf) +
                         ", which is not a multiple of nvlink_nodes, " +
                         std::to_string(group.nvlink_nodes),
                     "an NVLink domain is under one leaf");
}

/// The usual wiring with what a description says of it.
Wiring merged(Wiring wiring, const WiringSaid& said, std::string_view where) {
  const auto take = [](auto& value, const auto& given) {
    if (given) value = *given;
  };
  take(wiring.interconnect, said.interconnect);
  take(wiring.gpu_bytes_per_s, said.gpu_bytes_per_s);
  take(wiring.pcie_bytes_per_s, said.pcie_bytes_per_s);
  take(wiring.nic_bytes_per_s, said.nic_bytes_per_s);
  take(wiring.storage_bytes_per_s, said.storage_bytes_per_s);
  if (said.nics) {
    // The same network in another number of NICs, unless their rate is said too.
    if (!said.nic_bytes_per_s && *said.nics > 0)
      wiring.nic_bytes_per_s = wiring.network_bytes_per_s() / *said.nics;
    wiring.nics = *said.nics;
    wiring.rails = wiring.nics > 1;
  }
  take(wiring.rails, said.rails);
  wiring.pxn = wiring.rails && wiring.interconnect == Interconnect::nvswitch;
  take(wiring.pxn, said.pxn);
  const std::uint32_t gpus = wiring.gpus, nics = wiring.nics;
  if (nics > 0 && (nics < gpus ? gpus % nics : nics % gpus) != 0)
    throw InputError(where,
                     std::to_string(nics) + " NICs for " + std::to_string(gpus) +
                         " GPUs: each NIC should serve as many GPUs as the others",
                     "one of the numbers is a multiple of the other");
  if (wiring.pxn && !wiring.rails)
    throw InputError(where, "\"pxn\" without \"rails\"",
                     "PXN moves data to the GPU of another rail: it needs rails");
  if (wiring.interconnect == Interconnect::mesh && gpus > 8)
    throw InputError(where, "a mesh of " + std::to_string(gpus) + " GPUs; expected at most 8",
                     "a mesh is the one of a DGX-1; wider nodes have switches: \"nvswitch\"");
  return wiring;
}

/// Nodes below one domain that holds `inner` domains of `nodes` nodes; 0 if there is no such level.
/// Beyond kMostNodes the exact number does not matter.
std::uint64_t nodes_below(std::uint64_t nodes, std::uint64_t inner) {
  return std::min<std::uint64_t>(nodes, kMostNodes) * std::min<std::uint64_t>(inner, kMostNodes);
}

}  // namespace

GraphBuilder::Vertex GraphBuilder::fresh(Part part, std::string name, Vertex parent,
                                         const Link& up) {
  const Vertex v = graph_.add_switch(part, std::move(name));
  if (parent != kNoParent) graph_.connect(v, parent, up);
  return v;
}

GraphBuilder::Vertex GraphBuilder::unnamed(Part part, Vertex parent, const Link& up) {
  const std::uint64_t key = (std::uint64_t{static_cast<std::uint8_t>(part)} << 32) | parent;
  const auto [known, is_new] = unnamed_.try_emplace(key, kNoParent);
  if (is_new) known->second = fresh(part, "", parent, up);
  return known->second;
}

GraphBuilder::Vertex GraphBuilder::named(Part part, const std::string& name, Vertex parent,
                                         const Link& up, const std::string& node,
                                         std::string_view where) {
  if (name.empty()) return unnamed(part, parent, up);
  const auto [known, is_new] = named_[static_cast<std::size_t>(part)].try_emplace(name);
  Mention& mention = known->second;
  if (is_new) mention = {fresh(part, name, parent, up), parent, node};
  if (mention.parent != parent)
    throw InputError(where,
                     std::string{muster::name(part)} + " \"" + name + "\" is in one " +
                         (part == Part::leaf ? "pod" : "fabric") + " for node \"" + node +
                         "\" and in another for node \"" + mention.node + "\"",
                     "a domain is in one place: correct one of the nodes, or give two names");
  return mention.vertex;
}

void GraphBuilder::count_nodes(std::uint64_t more, std::string_view where) {
  const std::uint64_t total = graph_.nodes() + more;
  if (total > kMostNodes)
    throw InputError(where, "the fleet would have " + std::to_string(total) +
                                " nodes; expected at most " + std::to_string(kMostNodes));
  if (more > 1) graph_.reserve(static_cast<std::uint32_t>(total));
}

std::uint16_t GraphBuilder::wiring(const WiringSaid& said, const std::string& gpu_type,
                                   std::uint64_t gpus, const LinkRates& links, bool wide,
                                   std::string_view where) {
  Wiring wiring = merged(default_wiring(gpu_type, static_cast<std::uint32_t>(gpus)), said, where);
  if (links.node.bytes_per_s) {
    const double rate = *links.node.bytes_per_s;
    if (wiring.nics == 0)
      throw InputError(where, "the nodes have a link to their leaf, but no NICs",
                       "say \"nics\" in \"wiring\", or leave out the link");
    if (said.nic_bytes_per_s && std::abs(wiring.network_bytes_per_s() - rate) > 1e-6 * rate)
      throw InputError(where,
                       "the link of a node to its leaf carries another rate than its " +
                           std::to_string(wiring.nics) + " NICs together",
                       "say one of them");
    wiring.nic_bytes_per_s = rate / wiring.nics;
  }
  wiring.nic_latency = links.node.latency;
  if (wide) {
    wiring.nvlink_bytes_per_s =
        links.nvlink.bytes_per_s.value_or(wiring.gpus * wiring.gpu_bytes_per_s);
    wiring.nvlink_latency = links.nvlink.latency;
  }
  return graph_.wiring(wiring);
}

LinkRates GraphBuilder::rates(const NodeGroup& group, std::uint16_t wired,
                              std::string_view where) const {
  LinkRates links = group.links;
  const auto set = [&](Link& link, double ratio, std::uint64_t nodes, const char* level) {
    if (ratio == 0) return;
    if (link.bytes_per_s || nodes == 0)
      throw InputError(
          where,
          std::string{"says how much a "} + level + " is oversubscribed, " +
              (nodes == 0 ? "but not how many nodes it has" : "and what its link carries"),
          nodes == 0 ? "say both" : "say one of them");
    link.bytes_per_s =
        graph_.wiring(wired).network_bytes_per_s() * static_cast<double>(nodes) / ratio;
  };
  const std::uint64_t per_pod = nodes_below(group.nodes_per_leaf, group.leaves_per_pod);
  set(links.leaf, group.leaf_oversubscription, group.nodes_per_leaf, "leaf");
  set(links.pod, group.pod_oversubscription, per_pod, "pod");
  return links;
}

/// Groups of one fabric say the same, or leave it to one of them.
void GraphBuilder::store(Vertex core, const LinkRates& links, std::string_view where) {
  if (!links.storage_bytes_per_s) return;
  const std::optional<double> before = graph_.storage(core);
  if (before && *before != *links.storage_bytes_per_s) {
    const std::string& name = graph_.name(core);
    throw InputError(where,
                     "the storage of " + (name.empty() ? "its fabric" : "fabric \"" + name + "\"") +
                         " gives another rate here than what was said of it before",
                     "it is one for all of a fabric: say it once, or give two fabrics two names");
  }
  graph_.set_storage(core, *links.storage_bytes_per_s);
}

void GraphBuilder::add(const NodeGroup& group, std::string_view where) {
  check_wiring(group, where);
  count_nodes(group.count, where);
  const std::uint32_t type = graph_.gpu_type(group.gpu_type, group.mig);
  const std::uint16_t wired =
      wiring(group.wiring, group.gpu_type, group.gpus, group.links, group.nvlink_nodes > 1, where);
  const LinkRates links = rates(group, wired, where);
  const std::uint64_t per_leaf = group.nodes_per_leaf;
  const std::uint64_t per_pod = nodes_below(per_leaf, group.leaves_per_pod);
  const std::uint64_t per_fabric = nodes_below(per_pod, group.pods_per_fabric);

  Vertex core = kNoParent, pod = kNoParent, leaf = kNoParent, nvlink = kNoParent;
  for (std::uint64_t i = 0; i < group.count; ++i) {
    if (per_fabric > 0 && i % per_fabric == 0) {
      const std::string suffix = "." + std::to_string(i / per_fabric);
      core = fresh(Part::core, group.fabric.empty() ? "" : group.fabric + suffix, kNoParent, {});
    } else if (i == 0) {
      core = named(Part::core, group.fabric, kNoParent, {}, "", where);
    }
    if (i == 0 || (per_fabric > 0 && i % per_fabric == 0)) store(core, links, where);
    if (per_pod > 0 && i % per_pod == 0) {
      pod = fresh(Part::pod, "", core, links.pod);
    } else if (i == 0) {
      pod = unnamed(Part::pod, core, links.pod);
    }
    if (per_leaf > 0 && i % per_leaf == 0) {
      leaf = fresh(Part::leaf, "", pod, links.leaf);
    } else if (i == 0) {
      leaf = unnamed(Part::leaf, pod, links.leaf);
    }
    const Vertex node =
        graph_.add_node(group.prefix.empty() ? "" : group.prefix + std::to_string(i),
                        static_cast<std::uint32_t>(group.gpus), type, wired);
    graph_.connect(node, leaf, links.node);
    if (group.nvlink_nodes > 1) {
      if (i % group.nvlink_nodes == 0) nvlink = fresh(Part::nvlink, "", kNoParent, {});
      graph_.connect(node, nvlink, links.nvlink);
    }
  }
}

void GraphBuilder::add(const NamedNode& node, std::string_view where) {
  check_gpus(node.gpus, where);
  check_mig(node.gpus, node.mig, where);
  count_nodes(1, where);
  const Vertex core = named(Part::core, node.fabric, kNoParent, {}, node.id, where);
  store(core, node.links, where);
  const Vertex pod = named(Part::pod, node.pod, core, node.links.pod, node.id, where);
  const Vertex leaf = named(Part::leaf, node.leaf, pod, node.links.leaf, node.id, where);
  const Vertex v = graph_.add_node(
      node.id, static_cast<std::uint32_t>(node.gpus), graph_.gpu_type(node.gpu_type, node.mig),
      wiring(node.wiring, node.gpu_type, node.gpus, node.links, !node.nvlink.empty(), where));
  graph_.connect(v, leaf, node.links.node);
  if (node.nvlink.empty()) return;
  const Vertex nvlink = named(Part::nvlink, node.nvlink, kNoParent, {}, node.id, where);
  graph_.connect(v, nvlink, node.links.nvlink);
}

}  // namespace muster
