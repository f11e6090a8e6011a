#include "muster/cluster/demand.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <numeric>

namespace muster {
namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

template <class Visit>
void each_part(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    visit(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

/// Pools whose type is among "A100|H100", whatever the case; "" allows all.
PoolMask allowed_pools(std::string_view types, const Fleet& fleet) {
  if (types.empty())
    return fleet.pools.size() >= 64 ? ~PoolMask{0} : (PoolMask{1} << fleet.pools.size()) - 1;
  PoolMask mask = 0;
  each_part(types, '|', [&](std::string_view type) {
    for (std::size_t p = 0; p < fleet.pools.size(); ++p)
      if (lower(fleet.pools[p].gpu_type) == lower(type)) mask |= PoolMask{1} << p;
  });
  return mask;
}

/// MIG instances are made on GPUs in MIG mode, and nothing else runs there.
PoolMask in_mode(const Shape& shape, const Fleet& fleet) {
  PoolMask mask = 0;
  for (std::size_t p = 0; p < fleet.pools.size(); ++p)
    if ((fleet.pools[p].mig != nullptr) == (shape.mig != 0)) mask |= PoolMask{1} << p;
  return mask;
}

/// A bare number of GPUs, rounded up; not beyond what there is.
void round_up(Demand& d, Rounding rounding, const Fleet& fleet) {
  if (rounding == Rounding::none || d.milli < 1000 || d.mig != 0) return;
  std::uint32_t all = 0;
  for (std::size_t p = 0; p < fleet.pools.size(); ++p)
    if ((d.pools >> p) & 1) all += fleet.pools[p].gpus;
  const std::uint32_t rounded = std::bit_ceil(d.gpus);
  if (rounded > all) return;
  d.unused = rounded - d.gpus;
  d.gpus = rounded;
}

/// Whole nodes of several widths: as many GPUs as the widest of them have, or as few as the
/// narrowest.
void bound_by_width(Demand& d, const Fleet& fleet) {
  std::vector<std::uint32_t> widths;
  for (const Fleet::Node& node : fleet.nodes)
    if ((d.pools >> node.pool) & 1) widths.push_back(node.gpus);
  if (widths.size() < d.nodes) return;  // it never fits
  std::sort(widths.begin(), widths.end());
  d.gpus = std::accumulate(widths.end() - d.nodes, widths.end(), 0U);
  d.least = std::accumulate(widths.begin(), widths.begin() + d.nodes, 0U);
}

}  // namespace

Demand resolve(const Shape& shape, const Names& names, const Fleet& fleet, const Cutting& cutting,
               PoolMask within) {
  Demand d;
  d.pools = allowed_pools(names[shape.types], fleet) & in_mode(shape, fleet) & within;
  d.mig = shape.mig;
  d.model = shape.model;
  d.mig_placement = cutting.mig_placement;
  for (std::size_t p = 0; d.mig != 0 && p < fleet.pools.size(); ++p)
    if (((d.pools >> p) & 1) && !fleet.pools[p].mig->is_fixed()) d.setup = cutting.mig_reconfigure;
  for (std::size_t p = 0; p < fleet.pools.size(); ++p)
    if ((d.pools >> p) & 1) d.widest = std::max<std::uint32_t>(d.widest, fleet.pools[p].widest);
  d.nodes = shape.nodes;
  d.per_node = shape.gpus_per_node;
  d.milli = shape.milli;
  d.span = cutting.span;
  d.required = shape.required == Level::fleet ? cutting.required : shape.required;
  d.preferred = shape.preferred == Level::fleet ? cutting.preferred : shape.preferred;
  each_part(names[shape.tasks], '+', [&](std::string_view text) {
    std::uint32_t gpus = 0;
    std::from_chars(text.data(), text.data() + text.size(), gpus);
    d.tasks.push_back(gpus);
    d.gpus += gpus;
  });
  std::sort(d.tasks.rbegin(), d.tasks.rend());
  // Tasks are the whole demand, each on one node: as bare GPUs only their sum counts.
  if (!d.tasks.empty()) d.span = Span::any;
  if (d.tasks.empty())
    d.gpus = shape.nodes == 0
                 ? shape.gpus
                 : shape.nodes * (shape.gpus_per_node == 0 ? d.widest : shape.gpus_per_node);
  if (d.tasks.empty() && shape.nodes == 0) round_up(d, cutting.rounding, fleet);
  bool alike = true;  // every allowed node is as wide as the widest
  for (std::size_t p = 0; p < fleet.pools.size(); ++p)
    if ((d.pools >> p) & 1) alike &= fleet.pools[p].gpus == fleet.pools[p].nodes * d.widest;
  if (shape.nodes > 0 && shape.gpus_per_node == d.widest && alike) d.per_node = 0;
  d.least = d.gpus;
  if (d.nodes > 0 && d.per_node == 0 && !alike) bound_by_width(d, fleet);
  // All tasks on one node are as good as their sum.
  if (d.required == Level::node && !d.tasks.empty()) {
    d.tasks.clear();
    d.span = Span::whole_nodes;
  }

  // Gangs of several nodes never span fabrics that are not connected.
  const bool one_node =
      d.milli < 1000 || (d.nodes == 1) ||
      (d.nodes == 0 && d.tasks.empty() && d.span != Span::any && d.gpus <= d.widest);
  if (fleet.domains[static_cast<std::size_t>(Level::fabric)].size() > 1 &&
      d.required > Level::fabric)
    d.required = Level::fabric;
  if (one_node) d.required = Level::fleet;
  const bool one_gpu_nodes = d.widest == 1;
  d.by_count = d.milli == 1000 && d.tasks.empty() && d.required == Level::fleet &&
               ((one_gpu_nodes && d.per_node <= 1) || (d.nodes == 0 && d.span == Span::any));
  return d;
}

IdVector<ShapeId, Demand> resolve_all(const Workload& w, const Fleet& fleet,
                                      const Cutting& cutting) {
  IdVector<ShapeId, Demand> all;
  all.reserve(w.shapes.size());
  for (const Shape& shape : w.shapes) all.push_back(resolve(shape, w.names, fleet, cutting));
  return all;
}

std::string describe(const Demand& d) {
  const auto number = [](std::uint32_t n, std::string_view what) {
    return std::to_string(n) + " " + std::string{what} + (n == 1 ? "" : "s");
  };
  std::string text;
  if (d.mig != 0) {
    text = "a " + std::string{mig_profile(d.mig).name} + " MIG instance";
  } else if (d.milli < 1000) {
    text = std::to_string(d.milli) + "/1000 of a GPU";
  } else if (!d.tasks.empty()) {
    if (d.tasks.size() > 1 && d.tasks.front() == d.tasks.back()) {
      text = number(static_cast<std::uint32_t>(d.tasks.size()), "task") + " of " +
             number(d.tasks.front(), "GPU");
    } else {
      text = "tasks of ";
      for (std::size_t i = 0; i < d.tasks.size(); ++i)
        text += (i ? " + " : "") + std::to_string(d.tasks[i]);
      text += " GPUs";
    }
  } else if (d.nodes > 0) {
    text = d.per_node == 0 ? number(d.nodes, "whole node") +
                                 (d.widest > 1 ? " (" + number(d.gpus, "GPU") + ")" : "")
                           : number(d.nodes, "node") + " x " + number(d.per_node, "GPU");
  } else {
    text = number(d.gpus, "GPU");
    if (d.unused > 0) text += " (" + std::to_string(d.gpus - d.unused) + ", rounded up)";
    if (d.span != Span::any && d.widest > 1) {
      if (d.gpus <= d.widest) {
        text += " on one node";
      } else {
        text += " (" + number(d.gpus / d.widest, "whole node");
        if (d.gpus % d.widest) text += " and " + number(d.gpus % d.widest, "GPU") + " on one more";
        text += ")";
      }
    }
  }
  if (d.required != Level::fleet) text += " in one " + std::string{name(d.required)};
  return text;
}

}  // namespace muster
