#include "io/fleet/csv_rows.hpp"
#include "io/fleet/formats.hpp"
#include "muster/core/error.hpp"
#include "muster/topology/builder.hpp"

namespace muster::fleet_formats {

/// Hosts below ASW (top of rack), PSW (aggregation) and DSW (core) groups. The names of the ASWs
/// repeat from one PSW to the next, so a rack is the pair. The file does not say how many GPUs a
/// host has; the data set's jobs use at most 8 on one.
FleetDescription read_lingjun(std::string_view text, std::string_view where) {
  enum { ip, dsw, psw, asw };
  constexpr std::uint64_t kGpusPerHost = 8;
  FleetDescription fleet;
  fleet.source = "Alibaba Lingjun data set 2023, topo.csv";
  GraphBuilder builder;
  std::size_t hosts = 0;
  for (CsvRows row(text, where); row.next(); ++hosts) {
    NamedNode node;
    node.id = row.required(ip);
    node.gpus = kGpusPerHost;
    node.fabric = row.required(dsw);
    node.pod = row.required(psw);
    node.leaf = node.pod + "/" + row.required(asw);
    builder.add(node, row.at());
  }
  if (hosts == 0) throw InputError(where, "the list has no hosts");
  fleet.notes.push_back("8 GPUs per host are assumed: the file does not say");
  fleet.graph = builder.take();
  return fleet;
}

}  // namespace muster::fleet_formats
