#include "io/fleet/csv_rows.hpp"
#include "io/fleet/formats.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/builder.hpp"

namespace muster::fleet_formats {

/// The list says nothing about the network: all nodes are under one leaf. Nodes without GPUs carry
/// the cluster's CPU pods; no job here could use them.
FleetDescription read_openb(std::string_view text, std::string_view where) {
  enum { sn, cpu_milli, memory_mib, gpu, model };
  FleetDescription fleet;
  fleet.source = "Alibaba cluster-trace-gpu-v2023 (openb), node list";
  GraphBuilder builder;
  std::size_t without_gpus = 0, taken = 0;
  for (CsvRows row(text, where); row.next();) {
    NamedNode node;
    node.id = row.required(sn);
    node.gpus = row.integer(gpu, kMostGpusPerNode);
    if (node.gpus == 0) {
      ++without_gpus;
      continue;
    }
    node.gpu_type = row.required(model);
    check_gpu_type(node.gpu_type, row.at());
    builder.add(node, row.at());
    ++taken;
  }
  if (taken == 0) throw InputError(where, "the list has no nodes with GPUs");
  if (without_gpus > 0)
    fleet.notes.push_back(std::to_string(without_gpus) + " nodes without GPUs are left out");
  fleet.graph = builder.take();
  return fleet;
}

}  // namespace muster::fleet_formats
