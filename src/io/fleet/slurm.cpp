// Slurm's topology.conf (man topology.conf) with the nodes' GPUs from slurm.conf (man slurm.conf).

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "io/fleet/formats.hpp"
#include "io/fleet/hostlist.hpp"
#include "io/fleet/slurm_lines.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/topology/builder.hpp"

namespace muster::fleet_formats {
namespace {

constexpr std::size_t kMostLevels = 3;

struct Gpus {
  std::uint64_t count = 0;
  std::string type;
};

/// "gpu:h100:8(S:0-1),nic:2": the entries that begin with gpu.
Gpus gpus_of(std::string_view gres, const std::string& at) {
  Gpus out;
  while (!gres.empty()) {
    // A comma inside of brackets, as in (S:0,1), separates sockets.
    std::size_t end = 0;
    for (bool inside = false; end < gres.size() && (inside || gres[end] != ','); ++end)
      inside = gres[end] == '(' || (inside && gres[end] != ')');
    std::string_view entry = gres.substr(0, end);
    gres.remove_prefix(std::min(end + 1, gres.size()));
    entry = entry.substr(0, entry.find('('));
    if (entry != "gpu" && !entry.starts_with("gpu:")) continue;
    std::string type;
    std::int64_t count = 1;
    for (entry.remove_prefix(3); !entry.empty();) {
      const std::string_view part = entry.substr(1, entry.find(':', 1) - 1);
      entry.remove_prefix(part.size() + 1);
      if (part == "no_consume") continue;
      if (const auto number = parse_integer(part))
        count = *number;
      else
        type = part;
    }
    if (count < 0 || count > static_cast<std::int64_t>(kMostGpusPerNode))
      throw InputError(at, "Gres: expected a whole number of GPUs from 0 to " +
                               std::to_string(kMostGpusPerNode) + ", got " + std::to_string(count));
    if (out.count > 0 && type != out.type)
      throw InputError(at,
                       "Gres: the nodes have GPUs of two types, \"" + out.type + "\" and \"" +
                           type + "\"; expected one",
                       "nodes with several types of GPU are not modelled: describe each type as a "
                       "node of its own");
    check_gpu_type(type, at);
    out.count += static_cast<std::uint64_t>(count);
    out.type = std::move(type);
  }
  return out;
}

/// What NodeName lines say, by node.
using GpusByNode = std::unordered_map<std::string, Gpus>;

GpusByNode read_nodes(NamedText file) {
  GpusByNode nodes;
  Gpus usual;
  for (const SlurmLine& line : slurm_lines(file.text, file.where)) {
    if (!line.begins_with("nodename")) continue;
    const std::string* gres = line.find("gres");
    const Gpus gpus = gres ? gpus_of(*gres, line.at) : usual;
    const std::string& names = line.pairs.front().second;
    if (names == "DEFAULT") {
      usual = gpus;
      continue;
    }
    for (const std::string& name : expand_hostlist(names, line.at))
      if (!nodes.emplace(name, gpus).second)
        throw InputError(line.at, "there are two of node \"" + name + "\"",
                         "names are unique among those of a kind");
  }
  return nodes;
}

/// A switch of a tree, or a base block.
struct Switch {
  std::string name;
  std::vector<std::string> nodes, below;
  std::size_t parent = kRoot;
  std::string at;
  static constexpr std::size_t kRoot = ~std::size_t{0};
};

class Topology {
 public:
  explicit Topology(NamedText file) : where_(file.where) {
    for (const SlurmLine& line : slurm_lines(file.text, file.where)) read(line);
    if (switches_.empty())
      throw InputError(where_, "no line begins with SwitchName or BlockName",
                       "topology.conf of topology/tree and topology/block has them: name that "
                       "file, slurm.conf is read beside it");
    if (!is_block_) wire();
  }

  const std::vector<Switch>& switches() const { return switches_; }
  std::vector<std::string> take_notes() { return std::move(notes_); }

  /// The leaf of a switch with nodes, and what is above it. `depth`: levels of the deepest branch.
  void name_domains(std::size_t leaf, NamedNode& node) const {
    node.leaf = switches_[leaf].name;
    if (is_block_) {
      if (blocks_per_pod_ == 0) return;
      const std::size_t first = leaf - leaf % blocks_per_pod_;
      const std::size_t last = std::min(first + blocks_per_pod_, switches_.size()) - 1;
      node.pod = switches_[first].name + " to " + switches_[last].name;
      return;
    }
    const std::size_t top = root_of(leaf);
    const std::size_t above = switches_[leaf].parent;
    if (depth_ == kMostLevels)
      node.pod = above == Switch::kRoot || above == top ? node.leaf : switches_[above].name;
    else if (depth_ == 2)
      node.pod = switches_[top].name;
    // Separate trees are not connected: no job spans them.
    if (depth_ == kMostLevels || roots_ > 1) node.fabric = switches_[top].name;
  }

 private:
  void read(const SlurmLine& line) {
    const bool is_switch = line.begins_with("switchname"), is_block = line.begins_with("blockname");
    if (line.begins_with("nodename")) return;
    if (line.begins_with("blocksizes")) return read_sizes(line);
    if (!is_switch && !is_block)
      throw InputError(line.at, "a line begins with \"" + line.pairs.front().first + "\"",
                       did_you_mean(line.pairs.front().first,
                                    {"SwitchName", "BlockName", "BlockSizes", "NodeName"}));
    if (!switches_.empty() && is_block != is_block_)
      throw InputError(line.at, "the file has switches and blocks",
                       "a topology is a tree (SwitchName) or blocks (BlockName)");
    is_block_ = is_block;
    add(line);
  }

  void add(const SlurmLine& line) {
    Switch s;
    s.name = line.pairs.front().second;
    s.at = line.at;
    const std::string what = is_block_ ? "block" : "switch";
    if (s.name.empty()) throw InputError(line.at, "the " + what + " has no name");
    for (const auto& [key, value] : line.pairs) {
      if (key == "nodes")
        s.nodes = expand_hostlist(value, line.at);
      else if (key == "switches" && !is_block_)
        s.below = expand_hostlist(value, line.at);
      else if (&key != &line.pairs.front().first && (key != "linkspeed" || is_block_))
        throw InputError(line.at, what + " \"" + s.name + "\" has no key \"" + key + "\"",
                         did_you_mean(key, is_block_ ? std::vector<std::string>{"Nodes"}
                                                     : std::vector<std::string>{"Nodes", "Switches",
                                                                                "LinkSpeed"}));
    }
    if (s.nodes.empty() == s.below.empty())
      throw InputError(line.at,
                       what + " \"" + s.name + "\" has " +
                           (s.nodes.empty() ? "nothing below it" : "both nodes and switches"),
                       is_block_ ? "say Nodes=..." : "say Nodes=... of a leaf, or Switches=...");
    if (!by_name_.emplace(s.name, switches_.size()).second)
      throw InputError(line.at, "there are two of " + what + " \"" + s.name + "\"",
                       "names are unique among those of a kind");
    switches_.push_back(std::move(s));
  }

  /// The first size is the base block's; of those above it the fleet has a level for one.
  void read_sizes(const SlurmLine& line) {
    std::vector<std::uint64_t> sizes;
    std::string_view rest = line.pairs.front().second;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      const auto size = parse_integer(rest.substr(0, comma));
      const bool multiple =
          size && *size > 0 &&
          (sizes.empty() ||
           (static_cast<std::uint64_t>(*size) % sizes.front() == 0 &&
            std::has_single_bit(static_cast<std::uint64_t>(*size) / sizes.front())));
      if (!multiple)
        throw InputError(line.at,
                         "BlockSizes: expected the base block's nodes, then these times powers of "
                         "two, got \"" +
                             line.pairs.front().second + "\"",
                         "for example BlockSizes=18,36,72");
      sizes.push_back(static_cast<std::uint64_t>(*size));
      more = comma != std::string_view::npos;
      if (more) rest.remove_prefix(comma + 1);
    }
    if (sizes.size() > 1) blocks_per_pod_ = sizes[1] / sizes[0];
    if (sizes.size() > 2)
      notes_.push_back("BlockSizes beyond the second are left out: a fleet has leaves and pods");
  }

  /// Finds the parents, and refuses what is no forest of at most three levels.
  void wire() {
    for (std::size_t i = 0; i < switches_.size(); ++i)
      for (const std::string& name : switches_[i].below) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end())
          throw InputError(switches_[i].at, "switch \"" + switches_[i].name + "\" is above \"" +
                                                name + "\", which is not in the file");
        Switch& child = switches_[found->second];
        if (child.parent != Switch::kRoot)
          throw InputError(switches_[i].at,
                           "switch \"" + name + "\" is below \"" + switches_[i].name +
                               "\" and below \"" + switches_[child.parent].name + "\"",
                           "a tree has one switch above each");
        child.parent = i;
      }
    for (std::size_t i = 0; i < switches_.size(); ++i) depth_ = std::max(depth_, depth_of(i));
    roots_ = static_cast<std::size_t>(
        std::count_if(switches_.begin(), switches_.end(),
                      [](const Switch& s) { return s.parent == Switch::kRoot; }));
  }

  /// How many switches there are from `i` up.
  std::size_t depth_of(std::size_t i) const {
    std::size_t depth = 1, up = i;
    while (switches_[up].parent != Switch::kRoot && depth <= switches_.size()) {
      up = switches_[up].parent;
      ++depth;
    }
    if (depth > switches_.size())
      throw InputError(switches_[i].at,
                       "switch \"" + switches_[i].name + "\" is below itself, or below one that is",
                       "a tree has no loops: correct the Switches= of one of them");
    if (depth > kMostLevels)
      throw InputError(switches_[i].at,
                       "switch \"" + switches_[i].name + "\" has more than two above it",
                       "a fleet has three levels of switches, leaf, pod and fabric: leave one out");
    return depth;
  }
  std::size_t root_of(std::size_t leaf) const {
    while (switches_[leaf].parent != Switch::kRoot) leaf = switches_[leaf].parent;
    return leaf;
  }

  std::string where_;
  std::vector<Switch> switches_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<std::string> notes_;
  bool is_block_ = false;
  std::size_t depth_ = 1, roots_ = 0;
  std::uint64_t blocks_per_pod_ = 0;
};

}  // namespace

bool has_slurm_nodes(std::string_view text) {
  const std::vector<SlurmLine> lines = slurm_lines(text, "");
  return std::any_of(lines.begin(), lines.end(),
                     [](const SlurmLine& line) { return line.begins_with("nodename"); });
}

FleetDescription read_slurm(NamedText topology_file, NamedText node_file) {
  Topology topology(topology_file);
  if (node_file.text.empty()) node_file = topology_file;
  const GpusByNode nodes = read_nodes(node_file);
  if (nodes.empty())
    throw InputError(node_file.where, "no NodeName line says what GPUs the nodes have",
                     "put slurm.conf beside topology.conf, or its NodeName=... Gres=gpu:... lines "
                     "into it");
  FleetDescription fleet;
  fleet.notes = topology.take_notes();
  GraphBuilder builder;
  std::unordered_set<std::string> placed;
  std::size_t without_gpus = 0;
  for (std::size_t i = 0; i < topology.switches().size(); ++i) {
    const Switch& leaf = topology.switches()[i];
    for (const std::string& name : leaf.nodes) {
      const auto found = nodes.find(name);
      if (found == nodes.end())
        throw InputError(leaf.at, "\"" + leaf.name + "\" has node \"" + name +
                                      "\", which no NodeName line describes");
      if (!placed.insert(name).second)
        throw InputError(leaf.at, "node \"" + name + "\" is named twice",
                         "a node is under one leaf switch, or in one block");
      if (found->second.count == 0) {
        ++without_gpus;
        continue;
      }
      NamedNode node;
      node.id = name;
      node.gpus = found->second.count;
      node.gpu_type = found->second.type;
      topology.name_domains(i, node);
      builder.add(node, leaf.at);
    }
  }
  if (placed.size() == without_gpus)
    throw InputError(node_file.where, "no node of the topology has GPUs",
                     "NodeName lines say so: Gres=gpu:8, or Gres=gpu:h100:8");
  if (without_gpus > 0)
    fleet.notes.push_back(std::to_string(without_gpus) + " nodes without GPUs are left out");
  if (nodes.size() > placed.size())
    fleet.notes.push_back(std::to_string(nodes.size() - placed.size()) +
                          " nodes that the topology does not have are left out");
  fleet.graph = builder.take();
  return fleet;
}

}  // namespace muster::fleet_formats
