#include "priced.hpp"

#include <algorithm>
#include <array>

#include "muster/topology/wiring.hpp"

namespace muster {
namespace {

constexpr std::array<const char*, 7> kOthers{
    "topology_tree", "pack", "smallest_domain", "rail_aligned", "first", "last", "spread"};
constexpr std::uint32_t kMostGpusSearched = 8;  // of one node: at most 70 sets of them

/// Prices are sums of doubles: what differs by less is the same.
constexpr double kSame = 1e-9;

int compare(double a, double b) { return a < b - kSame ? -1 : a > b + kSame ? 1 : 0; }

}  // namespace

PricedPlacer::PricedPlacer(std::uint64_t seed) : PackPlacer(seed) {
  for (const char* name : kOthers) others_.push_back(Placers::all().at(name).make(seed));
}

void PricedPlacer::submitted(const Demand& d, const Fleet& fleet) {
  for (const auto& other : others_) other->submitted(d, fleet);
}

bool PricedPlacer::place(const Cluster& cluster, const Demand& d, std::vector<Slice>& out) {
  if (!cluster.costs() || d.milli < 1000 || d.mig != 0) return PackPlacer::place(cluster, d, out);
  best_.clear();
  tried_ = 0;
  done_ = false;
  // Of places that cost the same the tightest node, or for whole nodes the tightest leaf.
  const bool part_of_node = d.nodes == 0 && d.gpus < d.widest;
  if (part_of_node && PackPlacer::place(cluster, d, found_)) consider(cluster, d, found_);
  const bool first_will_do = cluster.costs()->same_everywhere(d);
  for (const auto& other : others_) {
    if (done_ || (first_will_do && !best_.empty())) break;
    if (!other->place(cluster, d, found_)) break;  // what fits nowhere does so for every placer
    consider(cluster, d, found_);
  }
  if (best_.empty()) return false;
  if (!first_will_do) {
    consider_inside(cluster, d);
    consider_gpus(cluster, d);
  }
  out = best_;
  return true;
}

/// The same placers inside of one leaf and of one pod.
void PricedPlacer::consider_inside(const Cluster& cluster, const Demand& d) {
  Demand inside = d;
  for (const Level level : {Level::leaf, Level::pod}) {
    if (done_) return;
    if (level >= d.required || !cluster.tracks_domains()) continue;
    inside.required = level;
    for (const auto& other : others_) {
      if (done_ || !other->place(cluster, inside, found_)) break;
      consider(cluster, d, found_);
    }
  }
}

void PricedPlacer::consider(const Cluster& cluster, const Demand& d,
                            const std::vector<Slice>& place) {
  const auto tried = tried_places_.begin() + tried_;
  if (std::find(tried_places_.begin(), tried, place) != tried) return;
  if (tried == tried_places_.end())
    tried_places_.push_back(place);
  else
    *tried = place;
  ++tried_;
  const PlacementCost::Price price = cluster.costs()->price(d, place);
  done_ = done_ || (price.own <= price.least + kSame && price.others <= kSame);
  const Rank rank = this->rank(price, gpus_in(place));
  const int first = compare(rank.first, least_.first);
  if (!best_.empty() && (first > 0 || (first == 0 && compare(rank.second, least_.second) >= 0)))
    return;
  least_ = rank;
  best_ = place;
}

/// Without a switch between them it matters which GPUs of a node a job has.
void PricedPlacer::consider_gpus(const Cluster& cluster, const Demand& d) {
  if (done_ || best_.size() != 1 || best_[0].count != 1) return;
  const NodeId node = best_[0].first;
  const Wiring& wiring = cluster.fleet().wiring(node);
  const bool alike =
      wiring.interconnect != Interconnect::mesh && wiring.interconnect != Interconnect::pcie_pairs;
  const std::uint32_t gpus = count(best_[0].gpus);
  const GpuMask free = cluster.free(node);
  if (alike || gpus < 2 || wiring.gpus > kMostGpusSearched || count(free) == gpus) return;
  for (GpuMask set = 1; set < GpuMask{1} << wiring.gpus; ++set)
    if (count(set) == gpus && (set & free) == set) consider(cluster, d, {{node, 1, set}});
}

}  // namespace muster
