#include "muster/topology/links.hpp"

#include <algorithm>

#include "muster/core/check.hpp"

namespace muster {
namespace {

std::size_t at(Level level) { return static_cast<std::size_t>(level); }

}  // namespace

Links::Links(const Fleet& fleet) : fleet_(&fleet) {
  const auto nodes = static_cast<std::uint32_t>(fleet.nodes.size());
  const Fabric& fabric = *fleet.fabric;
  std::vector<char> used(fabric.wirings.size(), 0);
  for (const std::uint16_t w : fabric.wiring_of) used[w] = 1;
  bool alike = true;
  nics_ = fleet.wiring(NodeId{0}).nics;
  for (std::size_t w = 0; w < used.size(); ++w)
    alike = alike && (!used[w] || fabric.wirings[w].nics == nics_);
  if (alike) {
    size_ = nodes * nics_;
  } else {
    first_nic_.reserve(nodes + 1);
    for (std::uint32_t n = 0; n < nodes; ++n) {
      first_nic_.push_back(size_);
      size_ += fleet.wiring(NodeId{n}).nics;
    }
    first_nic_.push_back(size_);
  }
  nvlink_ = size_;
  size_ += nodes;
  number_uplinks(Level::leaf);
  number_uplinks(Level::pod);
  storage_ = size_;
  for (const NodeRange& range : fleet.domains[at(Level::fabric)]) {
    double rate = 0;
    for (std::uint32_t n = range.first; n < range.last; ++n)
      rate += fleet.wiring(NodeId{n}).storage_bytes_per_s;
    const double said = fabric.storage_of(static_cast<std::uint32_t>(storage_rate_.size()));
    storage_rate_.push_back(said > 0 ? said : rate);
  }
  size_ += static_cast<Id>(storage_rate_.size());
}

/// A domain that does not say what goes up from it lets all through that its nodes can send.
void Links::number_uplinks(Level level) {
  Uplinks& up = up_[at(level)];
  const auto& said = fleet_->fabric->up[at(level)];
  const auto& domains = fleet_->domains[at(level)];
  for (std::uint32_t d = 0; d < domains.size(); ++d) {
    std::uint32_t rails = 1;
    double below = 0;
    for (std::uint32_t n = domains[d].first; n < domains[d].last; ++n) {
      const Wiring& wiring = fleet_->wiring(NodeId{n});
      if (wiring.rails) rails = std::max(rails, wiring.nics);
      below += wiring.network_bytes_per_s();
    }
    const double whole = !said.empty() && said[d].bytes_per_s > 0 ? said[d].bytes_per_s : below;
    up.first.push_back(size_);
    up.rate.push_back(whole / rails);
    size_ += rails;
  }
  up.first.push_back(size_);
}

Links::Id Links::nic(NodeId node, std::uint32_t nic) const {
  MUSTER_CHECK(nic < fleet_->wiring(node).nics);
  return (first_nic_.empty() ? node.value * nics_ : first_nic_[node]) + nic;
}

Links::Id Links::nvlink(NodeId node) const { return nvlink_ + node.value; }

std::uint32_t Links::rails(Level level, std::uint32_t domain) const {
  const auto& first = up_[at(level)].first;
  return first[domain + 1] - first[domain];
}

Links::Id Links::up(Level level, std::uint32_t domain, std::uint32_t rail) const {
  MUSTER_CHECK(rail < rails(level, domain));
  return up_[at(level)].first[domain] + rail;
}

Links::Place Links::place(Id link) const {
  MUSTER_CHECK(link < size_);
  using Kind = Place::Kind;
  const auto in = [&](const auto& first) {
    const auto next = std::upper_bound(first.begin(), first.end(), link);
    return static_cast<std::uint32_t>(next - first.begin()) - 1;
  };
  if (link < nvlink_) {
    if (first_nic_.empty()) return {Kind::nic, link / nics_, link % nics_};
    // Nodes without NICs begin where the next one does: the last of those that begin here has it.
    const std::uint32_t node = in(first_nic_.items());
    return {Kind::nic, node, link - first_nic_[NodeId{node}]};
  }
  const auto& leaf = up_[at(Level::leaf)].first;
  const auto& pod = up_[at(Level::pod)].first;
  if (link < leaf.front()) return {Kind::nvlink, link - nvlink_, 0};
  if (link < pod.front()) return {Kind::leaf, in(leaf), link - leaf[in(leaf)]};
  if (link < storage_) return {Kind::pod, in(pod), link - pod[in(pod)]};
  return {Kind::storage, link - storage_, 0};
}

double Links::built_for(Id link) const {
  const Place p = place(link);
  switch (p.kind) {
    case Place::Kind::nic:
      return fleet_->wiring(NodeId{p.domain}).nic_bytes_per_s;
    case Place::Kind::nvlink:
      return fleet_->wiring(NodeId{p.domain}).nvlink_bytes_per_s;
    case Place::Kind::leaf:
      return up_[at(Level::leaf)].rate[p.domain];
    case Place::Kind::pod:
      return up_[at(Level::pod)].rate[p.domain];
    case Place::Kind::storage:
      return storage_rate_[p.domain];
  }
  return 0;
}

double Links::capacity(Id link) const { return built_for(link) * health(link); }

Duration Links::latency(Id link) const {
  const Place p = place(link);
  const auto uplink = [&](Level level) {
    const auto& all = fleet_->fabric->up[at(level)];
    return all.empty() ? kUnknown : all[p.domain].latency;
  };
  switch (p.kind) {
    case Place::Kind::nic:
      return fleet_->wiring(NodeId{p.domain}).nic_latency;
    case Place::Kind::nvlink:
      return fleet_->wiring(NodeId{p.domain}).nvlink_latency;
    case Place::Kind::leaf:
      return uplink(Level::leaf);
    case Place::Kind::pod:
      return uplink(Level::pod);
    case Place::Kind::storage:
      return kUnknown;
  }
  return kUnknown;
}

std::string Links::name(Id link) const {
  const Place p = place(link);
  const auto rail_of = [&](Level level) {
    const std::string domain = fleet_->domain_name(level, p.domain);
    return rails(level, p.domain) == 1 ? "uplink of " + domain
                                       : "rail " + std::to_string(p.rail) + " of " + domain;
  };
  switch (p.kind) {
    case Place::Kind::nic:
      return "NIC " + std::to_string(p.rail) + " of " + fleet_->node_name(NodeId{p.domain});
    case Place::Kind::nvlink:
      return "NVLink of " + fleet_->node_name(NodeId{p.domain});
    case Place::Kind::leaf:
      return rail_of(Level::leaf);
    case Place::Kind::pod:
      return rail_of(Level::pod);
    case Place::Kind::storage:
      return "storage of " + fleet_->domain_name(Level::fabric, p.domain);
  }
  return "";
}

void Links::set_health(Id link, double health) {
  MUSTER_CHECK(link < size_ && health >= 0 && health <= 1);
  if (health < 1) {
    health_[link] = health;
  } else {
    health_.erase(link);
  }
}

double Links::health(Id link) const {
  const auto known = health_.find(link);
  return known == health_.end() ? 1 : known->second;
}

bool Links::path_on(NodeId from, NodeId to, std::uint32_t rail, std::vector<Id>& path) const {
  path.clear();
  std::vector<Id> down;
  const auto both = [&](Id a, Id b) {
    path.push_back(a);
    down.push_back(b);
  };
  const Wiring& a = fleet_->wiring(from);
  const Wiring& b = fleet_->wiring(to);
  if (rail >= a.nics || rail >= b.nics) return false;
  both(nic(from, rail), nic(to, rail));
  for (const Level level : {Level::leaf, Level::pod}) {
    const std::uint32_t x = fleet_->domain_of[at(level)][from];
    const std::uint32_t y = fleet_->domain_of[at(level)][to];
    if (x == y) break;
    both(up(level, x, std::min(rail, rails(level, x) - 1)),
         up(level, y, std::min(rail, rails(level, y) - 1)));
  }
  path.insert(path.end(), down.rbegin(), down.rend());
  return std::all_of(path.begin(), path.end(), [&](Id link) { return capacity(link) > 0; });
}

std::uint32_t Links::route(NodeId from, NodeId to, std::uint32_t rail,
                           std::vector<Id>& path) const {
  path.clear();
  if (from == to) return rail;
  const auto& nvlinks = fleet_->domain_of[at(Level::nvlink)];
  if (nvlinks[from] == nvlinks[to]) {
    path = {nvlink(from), nvlink(to)};
    if (capacity(path[0]) > 0 && capacity(path[1]) > 0) return rail;
  }
  const auto& fabrics = fleet_->domain_of[at(Level::fabric)];
  const Wiring& a = fleet_->wiring(from);
  const Wiring& b = fleet_->wiring(to);
  const std::uint32_t rails = std::min(a.nics, b.nics);
  if (fabrics[from] == fabrics[to] && rails > 0) {
    // Without PXN a GPU reaches the other rails over PCIe or not at all: it stays on its own.
    const std::uint32_t choices = a.pxn && b.pxn ? rails : 1;
    for (std::uint32_t i = 0; i < choices; ++i)
      if (path_on(from, to, (rail + i) % rails, path)) return (rail + i) % rails;
  }
  path.clear();
  return kNone;
}

}  // namespace muster
