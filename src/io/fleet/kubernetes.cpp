// The nodes of a Kubernetes cluster, as `kubectl get nodes -o json` prints them.
#include <array>
#include <charconv>

#include "io/fleet/formats.hpp"
#include "io/fleet/json_object.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/builder.hpp"

namespace muster::fleet_formats {
namespace {

constexpr std::array kGpuResources{"nvidia.com/gpu", "amd.com/gpu"};
constexpr std::array kTypeLabels{"nvidia.com/gpu.product", "amd.com/gpu.product-name"};

// Those of NVIDIA's topograph by version, and of its GPU operator. The first that a node has counts.
constexpr std::array kNvlink{"accelerator.topograph.run/domain",
                             "network.topology.nvidia.com/accelerator", "nvidia.com/gpu.clique"};
constexpr std::array kLeaf{"fabric.topograph.run/tier-0", "network.topology.nvidia.com/leaf",
                           "network.topology.nvidia.com/block"};
constexpr std::array kPod{"fabric.topograph.run/tier-1", "network.topology.nvidia.com/spine"};
constexpr std::array kCore{"fabric.topograph.run/tier-2", "network.topology.nvidia.com/core",
                           "network.topology.nvidia.com/datacenter"};

const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(std::string{key});
  return at == object.end() ? nullptr : &*at;
}

template <std::size_t n>
std::string first_of(const Json* labels, const std::array<const char*, n>& keys) {
  for (const char* key : keys)
    if (const Json* value = labels ? member(*labels, key) : nullptr;
        value && value->is_string() && !value->get_ref<const std::string&>().empty())
      return value->get<std::string>();
  return {};
}

/// "8", as Kubernetes writes quantities; 0 if the node has none of it.
std::uint64_t gpus_of(const Json& status, const std::string& where) {
  const Json* capacity = member(status, "capacity");
  for (const char* resource : kGpuResources) {
    const Json* value = capacity ? member(*capacity, resource) : nullptr;
    if (!value) continue;
    const std::string text = value->is_string() ? value->get<std::string>() : value->dump();
    std::uint64_t gpus = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gpus);
    if (error != std::errc{} || end != text.data() + text.size() || gpus > kMostGpusPerNode)
      throw InputError(where + "/status/capacity",
                       std::string{resource} + ": expected a whole number from 0 to " +
                           std::to_string(kMostGpusPerNode) + ", got \"" + text + "\"");
    if (gpus > 0) return gpus;
  }
  return 0;
}

/// Either all nodes with GPUs name a switch of a level, or none does.
class Named {
 public:
  explicit Named(const char* what) : what_(what) {}
  void see(const std::string& node, const std::string& label, const std::string& where) {
    (label.empty() ? without_ : with_) = node;
    if (!with_.empty() && !without_.empty())
      throw InputError(where,
                       "node \"" + without_ + "\" has no label for its " + what_ + ", and node \"" +
                           with_ + "\" has one",
                       "label all nodes with GPUs, or take out those that are not in the fabric");
  }

 private:
  const char* what_;
  std::string with_, without_;
};

}  // namespace

FleetDescription read_kubernetes(const Json& list, std::string_view where) {
  FleetDescription fleet;
  fleet.source = "labels of the nodes of a Kubernetes cluster";
  const Json* items = member(list, "items");
  if (!items || !items->is_array())
    throw InputError(where, "is a Kubernetes list without \"items\"",
                     "kubectl get nodes -o json prints one with them");
  GraphBuilder builder;
  Named leaf("leaf"), pod("spine"), core("core");
  std::size_t without_gpus = 0, taken = 0;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Json& item = (*items)[i];
    const std::string at = std::string{where} + ": /items/" + std::to_string(i);
    const Json* metadata = member(item, "metadata");
    const Json* labels = metadata ? member(*metadata, "labels") : nullptr;
    const Json* name = metadata ? member(*metadata, "name") : nullptr;
    if (!name || !name->is_string()) throw InputError(at, "a node without /metadata/name");
    const Json* status = member(item, "status");
    NamedNode node;
    node.id = name->get<std::string>();
    node.gpus = status ? gpus_of(*status, at) : 0;
    if (node.gpus == 0) {
      ++without_gpus;
      continue;
    }
    node.gpu_type = first_of(labels, kTypeLabels);
    check_gpu_type(node.gpu_type, at);
    node.nvlink = first_of(labels, kNvlink);
    node.leaf = first_of(labels, kLeaf);
    node.pod = first_of(labels, kPod);
    node.fabric = first_of(labels, kCore);
    leaf.see(node.id, node.leaf, at);
    pod.see(node.id, node.pod, at);
    core.see(node.id, node.fabric, at);
    builder.add(node, at);
    ++taken;
  }
  if (taken == 0)
    throw InputError(where, "no node has GPUs",
                     "the device plugin writes nvidia.com/gpu to /status/capacity");
  if (without_gpus > 0)
    fleet.notes.push_back(std::to_string(without_gpus) + " nodes without GPUs are left out");
  fleet.graph = builder.take();
  return fleet;
}

}  // namespace muster::fleet_formats
