#include <algorithm>
#include <optional>
#include <set>

#include "muster/core/error.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

constexpr std::string_view kAdvice =
    "for example 4+4, 16x8 (16 nodes of 8), or n0:0,1,4+n1:0 (node and its GPUs)";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    out.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return out;
    at = end + 1;
  }
}

class Placing {
 public:
  Placing(const Fleet& fleet, const std::string& where) : fleet_(fleet), where_(where) {}

  void add(std::string_view item) {
    if (const auto gpus = parse_integer(item)) return next(whole(*gpus, item), 1, item);
    if (const std::size_t x = item.find('x'); x != std::string_view::npos) {
      const auto nodes = parse_integer(item.substr(0, x));
      const auto gpus = parse_integer(item.substr(x + 1));
      if (gpus && nodes) return next(whole(*gpus, item), whole(*nodes, item), item);
    }
    named(item);
  }

  std::vector<Slice> take() {
    std::sort(parts_.begin(), parts_.end(),
              [](const Slice& a, const Slice& b) { return a.first < b.first; });
    std::vector<Slice> out;
    for (const Slice& part : parts_) {
      if (!out.empty()) {
        Slice& last = out.back();
        if (last.gpus == part.gpus && last.first.value + last.count == part.first.value) {
          ++last.count;
          continue;
        }
      }
      out.push_back(part);
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, std::string_view advice = kAdvice) const {
    throw InputError(where_, what, advice);
  }

  std::uint32_t whole(std::int64_t value, std::string_view item) const {
    if (value < 1 || value > (1 << 22))
      refuse("expected GPUs per node, got \"" + std::string{item} + "\"");
    return static_cast<std::uint32_t>(value);
  }

  void next(std::uint32_t gpus, std::uint32_t nodes, std::string_view item) {
    std::uint32_t cursor = 0;
    for (std::uint32_t left = nodes; left > 0; --left) {
      while (cursor < fleet_.nodes.size() &&
             (fleet_.gpus_of(NodeId{cursor}) < gpus || used_.contains(cursor)))
        ++cursor;
      if (cursor == fleet_.nodes.size())
        refuse("the fleet has no node left with " + std::to_string(gpus) + " GPUs for \"" +
                   std::string{item} + "\"",
               "it has " + std::to_string(fleet_.nodes.size()) + " nodes, the widest of " +
                   std::to_string(widest()) + " GPUs");
      put(NodeId{cursor++}, first_gpus(gpus));
    }
  }

  std::uint32_t widest() const {
    std::uint32_t most = 0;
    for (std::uint32_t n = 0; n < fleet_.nodes.size(); ++n)
      most = std::max(most, fleet_.gpus_of(NodeId{n}));
    return most;
  }

  void named(std::string_view item) {
    const std::size_t colon = item.rfind(':');
    const NodeId node = find(item.substr(0, colon), item);
    const std::uint32_t gpus = fleet_.gpus_of(node);
    if (colon == std::string_view::npos) return put(node, first_gpus(gpus));
    GpuMask mask = 0;
    for (const std::string_view text : split(item.substr(colon + 1), ',')) {
      const auto gpu = parse_integer(text);
      if (!gpu || *gpu < 0 || *gpu >= gpus)
        refuse("expected GPUs from 0 to " + std::to_string(gpus - 1) + " of node " +
               fleet_.node_name(node) + ", got \"" + std::string{text} + "\"");
      if (mask >> *gpu & 1)
        refuse("GPU " + std::string{text} + " of node " + fleet_.node_name(node) +
               " is given twice");
      mask |= GpuMask{1} << *gpu;
    }
    put(node, mask);
  }

  NodeId find(std::string_view name, std::string_view item) const {
    for (std::uint32_t n = 0; n < fleet_.nodes.size(); ++n)
      if (fleet_.node_name(NodeId{n}) == name) return NodeId{n};
    refuse("the fleet has no node \"" + std::string{name} + "\"" +
           (name == item ? "" : ", of \"" + std::string{item} + "\""));
  }

  void put(NodeId node, GpuMask gpus) {
    if (fleet_.pools[fleet_.nodes[node].pool].mig)
      refuse(
          "node " + fleet_.node_name(node) + " is in MIG mode: its instances have no collectives",
          "NCCL refuses two ranks on one GPU");
    if (!used_.insert(node.value).second)
      refuse("node " + fleet_.node_name(node) + " is given twice");
    parts_.push_back({node, 1, gpus});
  }

  const Fleet& fleet_;
  const std::string& where_;
  std::vector<Slice> parts_;
  std::set<std::uint32_t> used_;
};

}  // namespace

std::vector<Slice> parse_placement(const Fleet& fleet, std::string_view text,
                                   const std::string& where) {
  if (text.empty()) throw InputError(where, "no placement is given", kAdvice);
  Placing placing(fleet, where);
  // What names its nodes goes first, so that numbers take from what is left.
  const std::vector<std::string_view> items = split(text, '+');
  const auto is_number = [](std::string_view item) {
    return !item.empty() && item.find_first_not_of("0123456789x") == std::string_view::npos &&
           item.front() != 'x';
  };
  for (const std::string_view item : items)
    if (!is_number(item)) placing.add(item);
  for (const std::string_view item : items)
    if (is_number(item)) placing.add(item);
  return placing.take();
}

double parse_size(std::string_view text, const std::string& where) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  static constexpr Unit kUnits[] = {
      {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
      {"kB", 1e3},     {"KB", 1e3},        {"MB", 1e6},           {"GB", 1e9},
      {"TB", 1e12},    {"B", 1},
  };
  double unit = 1;
  std::string_view digits = text;
  for (const Unit& u : kUnits)
    if (digits.ends_with(u.name)) {
      digits.remove_suffix(u.name.size());
      unit = u.bytes;
      break;
    }
  constexpr double kMost = 1e16;
  const auto value = parse_real(digits);
  if (value && *value * unit > kMost)
    throw InputError(where, "expected at most 1e16 bytes, got \"" + std::string{text} + "\"");
  if (!value || !(*value > 0))
    throw InputError(where, "expected a size above 0, got \"" + std::string{text} + "\"",
                     "for example 8, 4KiB, 512MB, 1GiB or 1e9 (bytes)");
  return *value * unit;
}

}  // namespace muster
