#pragma once
#include <string>
#include <string_view>

#include "io/config/json_text.hpp"
#include "muster/io/fleet.hpp"

namespace muster::fleet_formats {

/// 64x8, 1024x8:h100/32/8, joined by "+".
FleetDescription read_shorthand(std::string_view spec);
/// Does it begin like a shorthand (digits, then x)? Then it is one, right or wrong.
bool is_shorthand(std::string_view spec);

/// InputError for the name of a type of GPU that no job of a trace could ask for.
void check_gpu_type(std::string_view type, const std::string& where);

/// A fleet.json; or, told apart by their keys, one of the two below.
FleetDescription read_json(std::string_view text, std::string_view where);
FleetDescription read_json(const Json& parsed, std::string_view where);
/// The fleet of such a file that is parsed already; `name` if it does not give itself one.
Fleet fleet_of(const Json& parsed, const std::string& where, const std::string& name);
/// "nodes" and "edges": cables, from which levels are found.
FleetDescription read_edges(const Json& parsed, std::string_view where);
/// What `kubectl get nodes -o json` prints.
FleetDescription read_kubernetes(const Json& parsed, std::string_view where);

/// openb_node_list*.csv of the Alibaba GPU trace of 2023: sn,cpu_milli,memory_mib,gpu,model.
FleetDescription read_openb(std::string_view text, std::string_view where);
inline constexpr std::string_view kOpenbHeader = "sn,cpu_milli,memory_mib,gpu,model";

/// topo.csv of the Alibaba Lingjun data set of 2023: ip,DSW,PSW,ASW.
FleetDescription read_lingjun(std::string_view text, std::string_view where);
inline constexpr std::string_view kLingjunHeader = "ip,DSW,PSW,ASW";

/// A text and how messages call it.
struct NamedText {
  std::string_view text;
  std::string_view where;
};
/// Slurm's topology.conf, tree or block, and the NodeName lines of slurm.conf, which say what GPUs
/// the nodes have. They may stand in one text: then `nodes` is the same or empty.
FleetDescription read_slurm(NamedText topology, NamedText nodes);
/// Whether the text has a NodeName line.
bool has_slurm_nodes(std::string_view text);

}  // namespace muster::fleet_formats
