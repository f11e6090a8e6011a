#include "io/fleet/json_object.hpp"

#include <array>
#include <cmath>

#include "io/config/json_text.hpp"
#include "io/fleet/formats.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/builder.hpp"
#include "muster/topology/shapes.hpp"

namespace muster::fleet_formats {
namespace {

/// {"gbytes_per_s": 50, "latency_us": 1.5}, both optional.
Link read_link(const Json& value, const std::string& where, const std::string& pointer) {
  JsonObject object(value, where, pointer);
  Link link;
  // From 1 byte/s to 1000 times what an NVLink switch does: beyond that the unit is wrong.
  if (const double rate = object.number("gbytes_per_s", 1e-9, 1e6, 0); rate > 0)
    link.bytes_per_s = rate * 1e9;
  if (const double latency = object.number("latency_us", 0, 1e6, -1); latency >= 0)
    link.latency = Duration{std::llround(latency * 1e3)};
  object.done();
  return link;
}

/// {"gbytes_per_s": 160}: what the storage of a fabric gives in all.
double read_storage(const Json& value, const std::string& where, const std::string& pointer) {
  JsonObject object(value, where, pointer);
  const double rate = object.required_number("gbytes_per_s", 1e-9, 1e6);
  object.done();
  return rate * 1e9;
}

/// "links" of `object`, on top of what is said further out.
LinkRates read_links(JsonObject& object, LinkRates rates) {
  const Json* value = object.find("links");
  if (!value) return rates;
  JsonObject links(*value, object.where(), object.pointer("links"));
  const std::array<std::pair<const char*, Link*>, 4> all{{{"nvlink", &rates.nvlink},
                                                          {"node", &rates.node},
                                                          {"leaf", &rates.leaf},
                                                          {"pod", &rates.pod}}};
  for (const auto& [key, link] : all)
    if (const Json* given = links.find(key))
      *link = read_link(*given, links.where(), links.pointer(key));
  if (const Json* given = links.find("storage"))
    rates.storage_bytes_per_s = read_storage(*given, links.where(), links.pointer("storage"));
  links.done();
  return rates;
}

Interconnect read_interconnect(const std::string& text, const std::string& at) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kInterconnects; ++i) {
    all.emplace_back(name(static_cast<Interconnect>(i)));
    if (text == all.back()) return static_cast<Interconnect>(i);
  }
  throw InputError(at, "there is no interconnect \"" + text + "\"", did_you_mean(text, all));
}

/// "wiring" of `object`, on top of what is said further out.
WiringSaid read_wiring(JsonObject& object, WiringSaid said) {
  const Json* value = object.find("wiring");
  if (!value) return said;
  JsonObject wiring(*value, object.where(), object.pointer("wiring"));
  if (wiring.has("interconnect"))
    said.interconnect = read_interconnect(wiring.text("interconnect"), wiring.at("interconnect"));
  const auto rate = [&](const char* key, std::optional<double>& to) {
    if (wiring.has(key)) to = wiring.number(key, 1e-9, 1e6, 0) * 1e9;
  };
  rate("gpu_gbytes_per_s", said.gpu_bytes_per_s);
  rate("pcie_gbytes_per_s", said.pcie_bytes_per_s);
  rate("nic_gbytes_per_s", said.nic_bytes_per_s);
  rate("storage_gbytes_per_s", said.storage_bytes_per_s);
  if (wiring.has("nics"))
    said.nics = static_cast<std::uint32_t>(wiring.integer("nics", 0, kMostNics, 0));
  if (wiring.has("rails")) said.rails = wiring.flag("rails");
  if (wiring.has("pxn")) said.pxn = wiring.flag("pxn");
  wiring.done();
  return said;
}

/// One of a list of fixed instances: "3g@4" is a 3g that begins at slot 4.
MigLayout::Instance read_instance(const std::string& text, SlotMask taken, const std::string& at) {
  const std::size_t sign = text.find('@');
  const MigId id = mig_id(text.substr(0, sign));
  if (id == 0 || sign == std::string::npos)
    throw InputError(
        at, "expected a MIG profile and its first slot, got \"" + text + "\"",
        "for example [\"3g@0\", \"2g@4\", \"1g@6\"]; true: any instance that is needed");
  const MigProfile& profile = mig_profile(id);
  const std::string start = text.substr(sign + 1);
  const bool digit = start.size() == 1 && start[0] >= '0' && start[0] <= '7';
  const auto slot = static_cast<std::uint8_t>(digit ? start[0] - '0' : 0);
  if (!digit || !(profile.starts >> slot & 1))
    throw InputError(at, "a " + std::string{profile.name} + " can't begin at slot " + start,
                     "it may take slots " + places_text(id, profile.starts));
  if (taken & slots_at(id, slot))
    throw InputError(at, "\"" + text + "\" takes slots that an instance before it has",
                     slots_text(taken) + (taken ? " are taken" : ""));
  return {id, slot};
}

/// "mig": true, false, or the instances that every GPU has.
std::string read_mig(JsonObject& object, const std::string& otherwise = {}) {
  const Json* value = object.find("mig");
  if (!value) return otherwise;
  if (value->is_boolean()) return value->get<bool>() ? text_of(MigLayout{}) : "";
  const std::string at = object.at("mig");
  if (!value->is_array() || value->empty())
    throw InputError(at, "expected true, false or a list of instances, got " + value->dump(),
                     "for example true, or [\"3g@0\", \"2g@4\", \"1g@6\"]");
  std::vector<MigLayout::Instance> fixed;
  SlotMask taken = 0;
  for (const Json& one : *value) {
    fixed.push_back(
        read_instance(one.is_string() ? one.get<std::string>() : one.dump(), taken, at));
    taken = static_cast<SlotMask>(taken | slots_at(fixed.back().profile, fixed.back().start));
  }
  return text_of(MigLayout{std::move(fixed)});
}

std::string read_gpu_type(JsonObject& object, std::string otherwise = {}) {
  std::string type = object.text("gpu_type", std::move(otherwise));
  check_gpu_type(type, object.at("gpu_type"));
  return type;
}

/// What a fleet says for all its groups and nodes, and a group for its nodes.
struct Wires {
  LinkRates links;
  WiringSaid wiring;
};

Wires read_wires(JsonObject& object, const Wires& outer) {
  return {read_links(object, outer.links), read_wiring(object, outer.wiring)};
}

/// "dragonfly", "torus" or "oversubscription".
void read_shape(JsonObject& object, NodeGroup& group) {
  if (const Json* value = object.find("dragonfly")) {
    JsonObject shape(*value, object.where(), object.pointer("dragonfly"));
    Dragonfly d;
    d.nodes_per_router = shape.integer("nodes_per_router", 1, kMostNodes, 1);
    d.routers_per_group = shape.integer("routers_per_group", 1, kMostNodes, 1);
    d.global_links_per_router = shape.integer("global_links_per_router", 1, 4096, 1);
    d.local_bytes_per_s = shape.required_number("local_gbytes_per_s", 1e-9, 1e6) * 1e9;
    d.global_bytes_per_s = shape.required_number("global_gbytes_per_s", 1e-9, 1e6) * 1e9;
    shape.done();
    wire_as(group, d, shape.at());
  }
  if (const Json* value = object.find("torus")) {
    JsonObject shape(*value, object.where(), object.pointer("torus"));
    Torus t;
    t.dimensions = {shape.integer("x", 1, kMostNodes, 1), shape.integer("y", 1, kMostNodes, 1),
                    shape.integer("z", 1, kMostNodes, 1)};
    t.bytes_per_s = shape.required_number("gbytes_per_s", 1e-9, 1e6) * 1e9;
    shape.done();
    wire_as(group, t, shape.at());
  }
  if (const Json* value = object.find("oversubscription")) {
    JsonObject ratios(*value, object.where(), object.pointer("oversubscription"));
    group.leaf_oversubscription = ratios.number("leaf", 1, 1e6, 0);
    group.pod_oversubscription = ratios.number("pod", 1, 1e6, 0);
    ratios.done();
  }
}

NodeGroup read_group(JsonObject& object, const Wires& outer) {
  NodeGroup group;
  if (!object.has("count"))
    throw InputError(object.at(), "\"count\" is missing",
                     "a group is either \"count\" nodes that are alike, or a list of \"nodes\"");
  group.count = object.integer("count", 1, kMostNodes, 0);
  if (!object.has("gpus")) throw InputError(object.at(), "\"gpus\" is missing");
  group.gpus = object.integer("gpus", 1, kMostGpusPerNode, 0);
  group.gpu_type = read_gpu_type(object);
  group.mig = read_mig(object);
  group.prefix = object.text("prefix");
  group.fabric = object.text("fabric");
  group.nvlink_nodes = object.integer("nvlink_nodes", 1, kMostNodes, 1);
  group.nodes_per_leaf = object.integer("nodes_per_leaf", 1, kMostNodes, 0);
  group.leaves_per_pod = object.integer("leaves_per_pod", 1, kMostNodes, 0);
  group.pods_per_fabric = object.integer("pods_per_fabric", 1, kMostNodes, 0);
  const Wires wires = read_wires(object, outer);
  group.links = wires.links;
  group.wiring = wires.wiring;
  read_shape(object, group);
  return group;
}

/// In a list of nodes, either all name their rack, pod or fabric, or none does: one that doesn't is
/// more likely a slip than a node without a switch.
class AllOrNone {
 public:
  explicit AllOrNone(const char* what) : what_(what) {}

  void see(const NamedNode& node, bool names_it, const std::string& where) {
    std::string& first = names_it ? with_ : without_;
    if (first.empty()) first = node.id;
    if (with_.empty() || without_.empty()) return;
    throw InputError(
        where, "node \"" + without_ + "\" names no " + what_ + ", but node \"" + with_ + "\" does",
        std::string{"name the "} + what_ + " of every node of the list, or of none");
  }

 private:
  const char* what_;
  std::string with_, without_;
};

/// What the group that a list of nodes is in says for all of them.
struct NodeDefaults {
  std::uint64_t gpus = 0;
  std::string gpu_type;
  std::string mig;
  std::string fabric;
  Wires wires;
};

NamedNode read_node(JsonObject& object, const NodeDefaults& defaults) {
  NamedNode node;
  node.id = object.required_text("id");
  node.gpus = object.integer("gpus", 1, kMostGpusPerNode, defaults.gpus);
  if (node.gpus == 0) throw InputError(object.at(), "\"gpus\" is missing");
  node.gpu_type = read_gpu_type(object, defaults.gpu_type);
  node.mig = read_mig(object, defaults.mig);
  if (object.has("rack") && object.has("leaf"))
    throw InputError(object.at(), "has a \"rack\" and a \"leaf\"", "they are the same: keep one");
  node.leaf = object.text("rack", object.text("leaf"));
  node.pod = object.text("pod");
  node.fabric = object.text("fabric", defaults.fabric);
  node.nvlink = object.text("nvlink");
  node.links = defaults.wires.links;
  node.wiring = defaults.wires.wiring;
  object.done();
  return node;
}

void read_nodes(JsonObject& list, const NodeDefaults& defaults, GraphBuilder& builder) {
  const Json& nodes = list.array("nodes");
  if (nodes.size() > kMostNodes)
    throw InputError(list.at("nodes"), std::to_string(nodes.size()) + " nodes; expected at most " +
                                           std::to_string(kMostNodes));
  AllOrNone rack("rack"), pod("pod"), fabric("fabric");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    JsonObject object(nodes[i], list.where(), list.pointer("nodes/" + std::to_string(i)));
    const NamedNode node = read_node(object, defaults);
    rack.see(node, !node.leaf.empty(), object.at());
    pod.see(node, !node.pod.empty(), object.at());
    fabric.see(node, !node.fabric.empty(), object.at());
    builder.add(node, object.at());
  }
}

void read_one_group(const Json& value, const std::string& where, const std::string& pointer,
                    const Wires& outer, GraphBuilder& builder) {
  JsonObject object(value, where, pointer);
  if (object.has("nodes")) {
    if (object.has("count"))
      throw InputError(object.at(), "has a \"count\" and a list of \"nodes\"", "keep one of them");
    NodeDefaults defaults;
    defaults.gpus = object.integer("gpus", 1, kMostGpusPerNode, 0);
    defaults.gpu_type = read_gpu_type(object);
    defaults.mig = read_mig(object);
    defaults.fabric = object.text("fabric");
    defaults.wires = read_wires(object, outer);
    object.done();
    read_nodes(object, defaults, builder);
  } else {
    const NodeGroup group = read_group(object, outer);
    object.done();
    builder.add(group, object.at());
  }
}

}  // namespace

FleetDescription read_json(std::string_view text, std::string_view where) {
  return read_json(without_nulls(parse_json(text, std::string{where})), where);
}

FleetDescription read_json(const Json& parsed, std::string_view where) {
  if (parsed.is_object() && parsed.contains("edges")) return read_edges(parsed, where);
  if (parsed.is_object() && parsed.contains("apiVersion")) return read_kubernetes(parsed, where);
  JsonObject object(parsed, std::string{where}, "");
  FleetDescription fleet;
  fleet.name = object.text("name");
  fleet.source = object.text("source");
  object.find("$schema");  // for editors
  const Wires wires = read_wires(object, {});
  const bool has_nodes = object.has("nodes"), has_groups = object.has("groups");
  object.done();
  if (has_nodes == has_groups)
    throw InputError(
        where, has_nodes ? "has \"groups\" and \"nodes\"" : "has neither \"groups\" nor \"nodes\"",
        "a fleet is {\"groups\": [{\"count\": 64, \"gpus\": 8}]} or "
        "{\"nodes\": [{\"id\": \"a0\", \"gpus\": 8}]}");
  GraphBuilder builder;
  if (has_nodes) {
    NodeDefaults defaults;
    defaults.wires = wires;
    read_nodes(object, defaults, builder);
  } else {
    const Json& groups = object.array("groups");
    for (std::size_t i = 0; i < groups.size(); ++i)
      read_one_group(groups[i], object.where(), "/groups/" + std::to_string(i), wires, builder);
  }
  fleet.graph = builder.take();
  return fleet;
}

}  // namespace muster::fleet_formats
