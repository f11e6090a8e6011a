#include <algorithm>
#include <cstdio>

#include "muster/topology/describe.hpp"
#include "muster/topology/fabric.hpp"

namespace muster {
namespace {

constexpr std::uint32_t kMostDrawn = 8;  // domains or nodes below one switch

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g GB/s", bytes / 1e9);
  return text;
}

class Drawing {
 public:
  explicit Drawing(const Fleet& fleet) : fleet_(fleet) {}

  std::string text() {
    out_ = "graph " + quoted(fleet_.name.empty() ? "fleet" : fleet_.name) + " {\n";
    out_ += "  graph [rankdir=TB, ranksep=1];\n  node [shape=box, fontname=Helvetica];\n";
    out_ += "  edge [fontname=Helvetica, fontsize=10];\n";
    for (std::uint32_t d = 0; d < domains(Level::fabric).size(); ++d) {
      switch_of(Level::fabric, d);
      storage_of(d);
    }
    nvlink_domains();
    insides();
    return out_ + "}\n";
  }

 private:
  const std::vector<NodeRange>& domains(Level level) const {
    return fleet_.domains[static_cast<std::size_t>(level)];
  }
  static std::string id(Level level, std::uint32_t d) {
    return std::string{name(level)} + std::to_string(d);
  }
  void box(const std::string& id, const std::string& label, const char* style = "") {
    out_ += "  " + id + " [label=" + quoted(label) + style + "];\n";
  }
  void edge(const std::string& a, const std::string& b, const std::string& label) {
    out_ += "  " + a + " -- " + b + (label.empty() ? "" : " [label=" + quoted(label) + "]") + ";\n";
  }

  /// A switch with what is below it, at most kMostDrawn of it.
  void switch_of(Level level, std::uint32_t d) {
    box(id(level, d), fleet_.domain_name(level, d), ", style=filled, fillcolor=lightgrey");
    const NodeRange range = domains(level)[d];
    if (level == Level::leaf) return nodes_below(d, range);
    const Level lower = level == Level::fabric ? Level::pod : Level::leaf;
    const auto& of = fleet_.domain_of[static_cast<std::size_t>(lower)];
    const std::uint32_t first = of[NodeId{range.first}], end = of[NodeId{range.last - 1}] + 1;
    const std::uint32_t drawn = std::min(end - first, kMostDrawn);
    for (std::uint32_t i = first; i < first + drawn; ++i) {
      switch_of(lower, i);
      const auto& up = fleet_.fabric->up[static_cast<std::size_t>(lower)];
      const double rate = up.empty() ? 0 : up[i].bytes_per_s;
      edge(id(level, d), id(lower, i), rate > 0 ? gigabytes(rate) : "");
    }
    rest(id(level, d), end - first - drawn, lower == Level::pod ? "pods" : "leaves");
  }

  /// Where the fleet says what it gives.
  void storage_of(std::uint32_t fabric) {
    const double rate = fleet_.fabric->storage_of(fabric);
    if (rate <= 0) return;
    const std::string own = "storage" + std::to_string(fabric);
    box(own, "storage of " + fleet_.domain_name(Level::fabric, fabric), ", shape=cylinder");
    edge(own, id(Level::fabric, fabric), gigabytes(rate));
  }

  void nodes_below(std::uint32_t leaf, NodeRange range) {
    const std::uint32_t drawn = std::min(range.size(), kMostDrawn);
    for (std::uint32_t n = range.first; n < range.first + drawn; ++n) {
      const NodeId node{n};
      const Wiring& wiring = fleet_.wiring(node);
      const std::string type = fleet_.pools[fleet_.nodes[node].pool].gpu_type;
      box(id(Level::node, n), fleet_.node_name(node) + "\n" + std::to_string(wiring.gpus) + " x " +
                                  (type.empty() ? "GPU" : type));
      edge(id(Level::leaf, leaf), id(Level::node, n),
           wiring.nics == 0
               ? "none"
               : std::to_string(wiring.nics) + " x " + gigabytes(wiring.nic_bytes_per_s));
      drawn_.push_back(n);
    }
    rest(id(Level::leaf, leaf), range.size() - drawn, "nodes");
  }

  void rest(const std::string& above, std::uint32_t count, const std::string& what) {
    if (count == 0) return;
    box(above + "rest", "and " + std::to_string(count) + " more " + what, ", style=dashed");
    edge(above, above + "rest", "");
  }

  /// Those wider than a node, with the nodes that are drawn.
  void nvlink_domains() {
    const auto& of = fleet_.domain_of[static_cast<std::size_t>(Level::nvlink)];
    for (const std::uint32_t n : drawn_) {
      const std::uint32_t d = of[NodeId{n}];
      if (domains(Level::nvlink)[d].size() == 1) continue;
      if (domains(Level::nvlink)[d].first == n)
        box(id(Level::nvlink, d), fleet_.domain_name(Level::nvlink, d),
            ", style=filled, fillcolor=palegreen");
      edge(id(Level::nvlink, d), id(Level::node, n),
           gigabytes(fleet_.wiring(NodeId{n}).nvlink_bytes_per_s));
    }
  }

  void insides() {
    std::vector<bool> used(fleet_.fabric->wirings.size(), false);
    for (const std::uint16_t w : fleet_.fabric->wiring_of) used[w] = true;
    for (std::size_t w = 0; w < used.size(); ++w)
      if (used[w]) inside(fleet_.fabric->wirings[w], "w" + std::to_string(w));
  }

  void inside(const Wiring& wiring, const std::string& id) {
    out_ += "  subgraph cluster_" + id +
            " {\n  label=" + quoted("in a node: " + std::string{name(wiring.interconnect)}) + ";\n";
    for (std::uint32_t g = 0; g < wiring.gpus; ++g) {
      box(id + "g" + std::to_string(g), "GPU " + std::to_string(g));
      const Wiring::Nics own = wiring.nics_of_gpu(g);
      for (std::uint32_t k = own.first; k < own.first + own.count; ++k)
        edge(id + "g" + std::to_string(g), id + "k" + std::to_string(k), "");
    }
    for (std::uint32_t k = 0; k < wiring.nics; ++k)
      box(id + "k" + std::to_string(k),
          "NIC " + std::to_string(k) + "\n" + gigabytes(wiring.nic_bytes_per_s), ", shape=ellipse");
    between_gpus(wiring, id);
    out_ += "  }\n";
  }

  void between_gpus(const Wiring& wiring, const std::string& id) {
    if (wiring.interconnect == Interconnect::nvswitch ||
        wiring.interconnect == Interconnect::pcie) {
      box(id + "s", std::string{name(wiring.interconnect)});
      for (std::uint32_t g = 0; g < wiring.gpus; ++g)
        edge(id + "s", id + "g" + std::to_string(g), g ? "" : gigabytes(wiring.gpu_bytes_per_s));
      return;
    }
    for (std::uint32_t a = 0; a < wiring.gpus; ++a)
      for (std::uint32_t b = a + 1; b < wiring.gpus; ++b)
        if (const double rate = wiring.between(a, b); rate > wiring.pcie_bytes_per_s)
          edge(id + "g" + std::to_string(a), id + "g" + std::to_string(b), gigabytes(rate));
  }

  const Fleet& fleet_;
  std::vector<std::uint32_t> drawn_;  // nodes
  std::string out_;
};

}  // namespace

std::string dot(const Fleet& fleet) { return Drawing(fleet).text(); }

}  // namespace muster
