#include "muster/topology/describe.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "muster/topology/fabric.hpp"

namespace muster {
namespace {

/// Columns as wide as their widest cell; the first to the left, numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::string out;
    for (const auto& row : rows_) {
      std::string line = " ";
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string padding(width(c) - row[c].size(), ' ');
        line += c == 0 ? " " + row[c] + padding : "  " + padding + row[c];
      }
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
  }

 private:
  std::size_t width(std::size_t column) const {
    std::size_t widest = 0;
    for (const auto& row : rows_) widest = std::max(widest, row[column].size());
    return widest;
  }
  std::vector<std::vector<std::string>> rows_;
};

/// "8", or "2..8".
std::string range(std::uint32_t least, std::uint32_t most) {
  std::string text = std::to_string(least);
  if (most != least) text += ".." + std::to_string(most);
  return text;
}

std::string plural(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string pools(const Fleet& fleet) {
  Table table({"GPU type", "nodes", "GPUs", "GPUs per node"});
  std::vector<std::uint8_t> narrowest(fleet.pools.size(), UINT8_MAX);
  for (const Fleet::Node& node : fleet.nodes)
    narrowest[node.pool] = std::min(narrowest[node.pool], node.gpus);
  const auto type = [](const Fleet::Pool& pool) {
    std::string text = pool.gpu_type.empty() ? "(not named)" : pool.gpu_type;
    if (pool.mig) text += pool.mig->is_fixed() ? ", MIG " + text_of(*pool.mig) : ", MIG";
    return text;
  };
  for (std::size_t p = 0; p < fleet.pools.size(); ++p) {
    const Fleet::Pool& pool = fleet.pools[p];
    const std::uint32_t bits = pool.bits_per_gpu();
    table.add({type(pool), std::to_string(pool.nodes), std::to_string(pool.gpus),
               range(narrowest[p] / bits, pool.widest / bits)});
  }
  return table.text();
}

/// 12.5 or 400: what people write.
std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", bytes / 1e9);
  return text;
}

/// "1", or "1..7" times; "" where the level has no such links.
std::string oversubscribed(const Fleet& fleet, Level level) {
  if (level != Level::leaf && level != Level::pod) return "";
  double least = INFINITY, most = 0;
  for (std::uint32_t d = 0; d < fleet.domains[static_cast<std::size_t>(level)].size(); ++d) {
    least = std::min(least, oversubscription(fleet, level, d));
    most = std::max(most, oversubscription(fleet, level, d));
  }
  const auto text = [](double ratio) { return gigabytes(std::round(ratio * 100) * 1e7); };
  return text(least) == text(most) ? text(least) : text(least) + ".." + text(most);
}

/// What one domain's links upwards carry together: "800", "any" if the fleet does not say.
std::string up(const Fleet& fleet, Level level) {
  const auto& all = fleet.fabric->up[static_cast<std::size_t>(level)];
  if (level != Level::leaf && level != Level::pod) return "";
  double least = INFINITY, most = 0;
  for (const Fabric::Uplink& link : all) {
    least = std::min(least, link.bytes_per_s);
    most = std::max(most, link.bytes_per_s);
  }
  if (most == 0) return "any";
  return least == most ? gigabytes(most) : gigabytes(least) + ".." + gigabytes(most);
}

std::string levels(const Fleet& fleet) {
  Table table({"level", "domains", "nodes each", "GPUs each", "up, GB/s", "oversubscribed"});
  for (const Level level : {Level::nvlink, Level::leaf, Level::pod, Level::fabric}) {
    const auto& domains = fleet.domains[static_cast<std::size_t>(level)];
    std::uint32_t least_nodes = UINT32_MAX, most_nodes = 0, least_gpus = UINT32_MAX, most_gpus = 0;
    for (const NodeRange& range : domains) {
      std::uint32_t gpus = 0;
      for (std::uint32_t n = range.first; n < range.last; ++n) gpus += fleet.gpus_of(NodeId{n});
      least_nodes = std::min(least_nodes, range.size());
      most_nodes = std::max(most_nodes, range.size());
      least_gpus = std::min(least_gpus, gpus);
      most_gpus = std::max(most_gpus, gpus);
    }
    table.add({std::string{name(level)}, std::to_string(domains.size()),
               range(least_nodes, most_nodes), range(least_gpus, most_gpus), up(fleet, level),
               oversubscribed(fleet, level)});
  }
  return table.text();
}

/// "  storage of a fabric: 160 GB/s in all"; "" if nothing is said of any.
std::string storage(const Fleet& fleet) {
  const std::vector<double>& all = fleet.fabric->storage;
  if (all.empty()) return "";
  const auto text = [](double rate) { return rate > 0 ? gigabytes(rate) : "any"; };
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return "\n  storage of a fabric: " + text(*least) + (*least == *most ? "" : ".." + text(*most)) +
         " GB/s in all\n";
}

/// What is in nodes and below them, a line for each kind.
std::string wirings(const Fleet& fleet) {
  Table table({"between GPUs", "nodes", "GPUs", "GB/s", "NICs", "GB/s each", "rails", "from"});
  std::vector<std::size_t> nodes(fleet.fabric->wirings.size(), 0);
  for (const std::uint16_t w : fleet.fabric->wiring_of) ++nodes[w];
  for (std::size_t w = 0; w < nodes.size(); ++w) {
    const Wiring& wiring = fleet.fabric->wirings[w];
    if (nodes[w] == 0) continue;
    table.add({std::string{name(wiring.interconnect)}, std::to_string(nodes[w]),
               std::to_string(wiring.gpus), gigabytes(wiring.gpu_bytes_per_s),
               std::to_string(wiring.nics), gigabytes(wiring.nic_bytes_per_s),
               wiring.rails ? "yes" : "no",
               wiring.source.starts_with("assumed") ? "assumed" : "known"});
  }
  return table.text();
}

}  // namespace

std::string describe(const Fleet& fleet) {
  std::string text = fleet.name.empty() ? "" : fleet.name + ": ";
  text += plural(fleet.nodes.size(), "node") + ", " + plural(fleet.gpus, "GPU") + "\n\n";
  text += pools(fleet) + "\n" + wirings(fleet) + "\n" + levels(fleet) + storage(fleet);
  if (!fleet.notes.empty() || !fleet.source.empty()) text += "\n";
  for (const std::string& note : fleet.notes) text += "  note: " + note + "\n";
  if (!fleet.source.empty()) text += "  source: " + fleet.source + "\n";
  return text;
}

}  // namespace muster
