#include "policy/contention/crossings.hpp"

#include <algorithm>
#include <bit>

#include "muster/topology/fabric.hpp"

namespace muster {
namespace {

constexpr std::array<Level, 2> kSwitched{Level::leaf, Level::pod};
enum Kind : std::uint64_t { together, apart };  // rails of a domain as one link, or one of them

}  // namespace

Crossings::Crossings(const Fleet& fleet, const CostOptions& cost, MaxMin& net)
    : fleet_(fleet),
      efficiency_(cost.efficiency),
      all_to_all_(cost.pattern == CostOptions::Pattern::all_to_all),
      net_(net),
      links_(fleet) {
  for (const Level level : kSwitched) {
    const auto domains = static_cast<std::uint32_t>(fleet.domains[index(level)].size());
    blocking_[index(level)].resize(domains);
    split_[index(level)].assign(domains, false);
    for (std::uint32_t d = 0; d < domains; ++d) note_blocking(level, d);
  }
}

/// Less may go up than nodes send.
void Crossings::note_blocking(Level level, std::uint32_t d) {
  bool blocking = efficiency_ < 1 || oversubscription(fleet_, level, d) > 1 + 1e-9;
  for (std::uint32_t r = 0; hurt_ && r < links_.rails(level, d); ++r)
    if (links_.health(links_.up(level, d, r)) < 1) split_[index(level)][d] = blocking = true;
  blocking_[index(level)][d] = blocking;
}

bool Crossings::on_network(std::span<const Slice> where) const {
  const NodeId last{where.back().first.value + where.back().count - 1};
  return domain(Level::nvlink, where.front().first) != domain(Level::nvlink, last);
}

Crossing Crossings::of(std::span<const Slice> where) {
  Crossing crossing;
  crossing.sends = pace_ = MaxMin::kNoLimit;
  slow_nic_ = Links::kNone;
  for (const Level level : kSwitched) used_[index(level)].clear();
  for (const Slice& slice : where)
    for (std::uint32_t n = slice.first.value; n < slice.first.value + slice.count; ++n)
      visit(NodeId{n}, slice.gpus, crossing);
  crossing.narrowest = pace_;
  crossing.narrow = slow_nic_;
  crossing.built_for = crossing.sends;
  for (const Level level : kSwitched)
    if (used_[index(level)].size() > 1)
      for (const Crossing::Border& border : used_[index(level)]) add(border, where, crossing);
  for (const MaxMin::Use& use : crossing.nics)
    crossing.narrowest = std::min(crossing.narrowest, net_.capacity(use.link) / use.factor);
  if (!hurt_) crossing.built_for = crossing.narrowest;
  return crossing;
}

bool Crossings::split(const Crossing& crossing) {
  bool any = false;
  for (const Crossing::Border& b : crossing.borders) {
    if (split_[index(b.level)][b.domain] || b.rails == all_rails(b)) continue;
    split_[index(b.level)][b.domain] = any = true;
  }
  return any;
}

std::string Crossings::name(Links::Id link) const {
  const std::string name = links_.name(link);
  return name.starts_with("rail ") ? "the rails of " + name.substr(name.find(" of ") + 4) + " let"
                                   : "the " + name + " lets";
}

std::span<const MaxMin::Use> Crossings::uses(const Crossing& crossing) {
  uses_ = crossing.nics;
  for (const Crossing::Border& b : crossing.borders) {
    const std::uint32_t rails = links_.rails(b.level, b.domain);
    if (!split_[index(b.level)][b.domain]) {
      uses_.push_back(
          {link(links_.up(b.level, b.domain, 0), efficiency_ * rails, together), b.times});
      continue;
    }
    for (std::uint32_t r = 0; r < rails; ++r)
      if (b.rails >> r & 1)
        uses_.push_back({link(links_.up(b.level, b.domain, r), efficiency_, apart),
                         b.times / std::popcount(b.rails)});
  }
  return uses_;
}

void Crossings::set_health(std::span<const Links::Id> links, double health) {
  hurt_ = true;
  for (const Links::Id link : links) links_.set_health(link, health);
  for (const Level level : kSwitched)
    for (std::uint32_t d = 0; d < blocking_[index(level)].size(); ++d) note_blocking(level, d);
  for (const auto& [key, known] : known_)
    net_.set_capacity(known.link, links_.capacity(static_cast<Links::Id>(key)) * known.times);
}

void Crossings::add(Crossing::Border border, std::span<const Slice> where,
                    Crossing& crossing) const {
  if (!blocking_[index(border.level)][border.domain]) return;
  if (all_to_all_) {
    double nodes = 0;
    for (const Slice& slice : where) nodes += slice.count;
    border.times = border.nodes * (nodes - border.nodes) / (nodes - 1);
  }
  if (hurt_) crossing.built_for = std::min(crossing.built_for, built_for(border));
  if (hurt_ && fleet_.wiring(where.front().first).pxn) border.rails = rails_left(border);
  crossing.borders.push_back(border);
  Links::Id slowest = Links::kNone;
  const double rate = passes(border, slowest);
  if (rate >= crossing.narrowest) return;
  crossing.narrowest = rate;
  crossing.narrow = slowest;
}

/// The rails of a border that it can go on with: those of its own that work, or else all that do.
std::uint64_t Crossings::rails_left(const Crossing::Border& b) const {
  std::uint64_t left = 0;
  for (std::uint32_t r = 0; r < links_.rails(b.level, b.domain); ++r)
    if (links_.health(links_.up(b.level, b.domain, r)) > 0) left |= std::uint64_t{1} << r;
  if (left == 0) return b.rails;
  return (b.rails & left) != 0 ? b.rails & left : left;
}

/// Bytes/s out of a node that can pass if all of it goes over this border: all its rails go at one pace.
double Crossings::passes(const Crossing::Border& b, Links::Id& slowest) const {
  double rate = links_.built_for(b.level, b.domain);  // all of them are alike
  slowest = links_.up(b.level, b.domain, 0);
  for (std::uint32_t r = 0; hurt_ && r < links_.rails(b.level, b.domain); ++r) {
    const Links::Id rail = links_.up(b.level, b.domain, r);
    if (!(b.rails >> r & 1) || links_.capacity(rail) >= rate) continue;
    rate = links_.capacity(rail);
    slowest = rail;
  }
  return rate * efficiency_ * std::popcount(b.rails) / b.times;
}

double Crossings::built_for(const Crossing::Border& b) const {
  return links_.built_for(b.level, b.domain) * efficiency_ * std::popcount(b.rails) / b.times;
}

/// Nodes side by side are mostly alike.
const Crossings::Ports& Crossings::ports(const Wiring& wiring, GpuMask gpus) {
  if (ports_.wiring == &wiring && ports_.gpus == gpus) return ports_;
  ports_ = {&wiring, gpus, 0, 0};
  for (std::uint32_t k = 0; k < wiring.nics; ++k) {
    const GpuMask served = wiring.gpus_of_nic(k);
    if (!(served & gpus)) continue;
    ports_.nics |= std::uint64_t{1} << k;
    if (served & ~gpus) ports_.shared |= std::uint64_t{1} << k;
  }
  return ports_;
}

/// Those of its NICs that it goes on with: with PXN what a broken one carried goes over the others.
std::uint64_t Crossings::working(NodeId n, const Wiring& wiring, std::uint64_t nics) const {
  if (!hurt_ || !wiring.pxn) return nics;
  std::uint64_t left = 0;
  for (std::uint32_t k = 0; k < wiring.nics; ++k)
    if ((nics >> k & 1) && links_.health(links_.nic(n, k)) > 0) left |= std::uint64_t{1} << k;
  return left != 0 ? left : nics;
}

void Crossings::visit(NodeId n, GpuMask gpus, Crossing& crossing) {
  const Wiring& wiring = fleet_.wiring(n);
  const Ports& own = ports(wiring, gpus);
  const std::uint64_t nics = working(n, wiring, own.nics);
  const int count = std::popcount(nics);
  crossing.sends = std::min(crossing.sends, std::popcount(own.nics) * wiring.nic_bytes_per_s);
  double slowest = 1;
  Links::Id slow = Links::kNone;
  for (std::uint32_t k = 0; hurt_ && k < wiring.nics; ++k)
    if ((nics >> k & 1) && links_.health(links_.nic(n, k)) < slowest) {
      slow = links_.nic(n, k);
      slowest = links_.health(slow);
    }
  if (const double pace = count * wiring.nic_bytes_per_s * slowest; pace < pace_) {
    pace_ = pace;
    if (hurt_) slow_nic_ = slow;
  }
  if (own.shared)
    for (std::uint32_t k = 0; k < wiring.nics; ++k)
      if (nics & own.shared & std::uint64_t{1} << k)
        crossing.nics.push_back({link(links_.nic(n, k), 1, together), 1.0 / count});
  for (const Level level : kSwitched) {
    std::vector<Crossing::Border>& used = used_[index(level)];
    const std::uint32_t d = domain(level, n);
    if (used.empty() || used.back().domain != d) used.push_back({level, d});
    used.back().rails |= wiring.rails ? nics : 1;
    ++used.back().nodes;
  }
}

/// The solver knows links that somebody has used.
MaxMin::Link Crossings::link(Links::Id id, double times, std::uint64_t kind) {
  const auto [known, is_new] = known_.try_emplace(kind << 32 | id);
  if (is_new) known->second = {net_.add_link(links_.capacity(id) * times), times};
  return known->second.link;
}

}  // namespace muster
