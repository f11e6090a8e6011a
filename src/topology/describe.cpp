#include "muster/topology/describe.hpp"

#include <algorithm>
#include <vector>

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

std::string levels(const Fleet& fleet) {
  Table table({"level", "domains", "nodes each", "GPUs each"});
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
               range(least_nodes, most_nodes), range(least_gpus, most_gpus)});
  }
  return table.text();
}

}  // namespace

std::string describe(const Fleet& fleet) {
  std::string text = fleet.name.empty() ? "" : fleet.name + ": ";
  text += plural(fleet.nodes.size(), "node") + ", " + plural(fleet.gpus, "GPU") + "\n\n";
  text += pools(fleet) + "\n" + levels(fleet);
  if (!fleet.notes.empty() || !fleet.source.empty()) text += "\n";
  for (const std::string& note : fleet.notes) text += "  note: " + note + "\n";
  if (!fleet.source.empty()) text += "  source: " + fleet.source + "\n";
  return text;
}

}  // namespace muster
