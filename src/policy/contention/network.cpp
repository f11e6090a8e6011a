#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <vector>

#include "muster/cost/max_min.hpp"
#include "muster/topology/links.hpp"
#include "muster/workload/workload.hpp"
#include "policy/contention/kinds.hpp"

namespace muster {
namespace {

constexpr double kMillion = 1e6;
constexpr std::array<Level, 2> kSwitched{Level::leaf, Level::pod};

std::uint32_t millionths(double share) {
  return static_cast<std::uint32_t>(std::llround(kMillion * share));
}

std::string gigabytes(double bytes_per_s) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g GB/s", bytes_per_s / 1e9);
  return text.data();
}

/// What a placement has to do with the links of the fleet.
struct Crossing {
  /// A leaf or pod that it leaves, and the rails that it uses there.
  struct Border {
    Level level;
    std::uint32_t domain = 0;
    std::uint64_t rails = 0;
    std::uint32_t nodes = 0;  // that it has inside
    double times = 1;         // goes over it of what goes out of one node
  };
  double sends = 0;  // bytes/s out of each node with all its NICs have; of the node with the fewest
  double narrowest = 0;             // bytes/s that the links on the way leave it, alone
  Links::Id narrow = Links::kNone;  // which of them
  std::vector<Border> borders;      // where less may go up than nodes send
  std::vector<MaxMin::Use> nics;    // that it shares with other GPUs of their nodes
};

/// Reads crossings off placements, and says which links of the solver they use.
///
/// Rails of a domain are one link as long as everybody uses all of them, and a link each from the
/// first job on that does not: the rates are the same, and most fleets never need more.
class Crossings {
 public:
  Crossings(const Fleet& fleet, const CostOptions& cost, MaxMin& net)
      : fleet_(fleet),
        efficiency_(cost.efficiency),
        all_to_all_(cost.pattern == CostOptions::Pattern::all_to_all),
        net_(net),
        links_(fleet) {
    for (const Level level : kSwitched) {
      const auto domains = static_cast<std::uint32_t>(fleet.domains[index(level)].size());
      for (std::uint32_t d = 0; d < domains; ++d)
        blocking_[index(level)].push_back(efficiency_ < 1 ||
                                          oversubscription(fleet, level, d) > 1 + 1e-9);
      split_[index(level)].assign(domains, false);
    }
  }

  /// Its nodes are not all in one NVLink domain.
  bool on_network(std::span<const Slice> where) const {
    const NodeId last{where.back().first.value + where.back().count - 1};
    return domain(Level::nvlink, where.front().first) != domain(Level::nvlink, last);
  }

  Crossing of(std::span<const Slice> where) {
    Crossing crossing;
    crossing.sends = MaxMin::kNoLimit;
    for (const Level level : kSwitched) used_[index(level)].clear();
    for (const Slice& slice : where)
      for (std::uint32_t n = slice.first.value; n < slice.first.value + slice.count; ++n)
        visit(NodeId{n}, slice.gpus, crossing);
    crossing.narrowest = crossing.sends;
    for (const Level level : kSwitched)
      if (used_[index(level)].size() > 1)
        for (const Crossing::Border& border : used_[index(level)]) add(border, where, crossing);
    for (const MaxMin::Use& use : crossing.nics)
      crossing.narrowest = std::min(crossing.narrowest, net_.capacity(use.link) / use.factor);
    return crossing;
  }

  /// Whether some domain has its rails apart from now on. Then uses() of who is there changes.
  bool split(const Crossing& crossing) {
    bool any = false;
    for (const Crossing::Border& b : crossing.borders) {
      if (split_[index(b.level)][b.domain] || b.rails == all_rails(b)) continue;
      split_[index(b.level)][b.domain] = any = true;
    }
    return any;
  }

  /// "the rails of leaf 3 let", "the uplink of pod 0 lets"
  std::string name(Links::Id link) const {
    const std::string name = links_.name(link);
    return name.starts_with("rail ") ? "the rails of " + name.substr(name.find(" of ") + 4) + " let"
                                     : "the " + name + " lets";
  }

  std::span<const MaxMin::Use> uses(const Crossing& crossing) {
    uses_ = crossing.nics;
    for (const Crossing::Border& b : crossing.borders) {
      const std::uint32_t rails = links_.rails(b.level, b.domain);
      if (!split_[index(b.level)][b.domain]) {
        uses_.push_back({link(links_.up(b.level, b.domain, 0), efficiency_ * rails, 0), b.times});
        continue;
      }
      for (std::uint32_t r = 0; r < rails; ++r)
        if (b.rails >> r & 1)
          uses_.push_back({link(links_.up(b.level, b.domain, r), efficiency_, 1),
                           b.times / std::popcount(b.rails)});
    }
    return uses_;
  }

 private:
  /// What a node with some of its GPUs has.
  struct Ports {
    const Wiring* wiring = nullptr;
    GpuMask gpus = 0;
    std::uint64_t nics = 0, shared = 0;
  };

  static std::size_t index(Level level) { return static_cast<std::size_t>(level); }
  std::uint32_t domain(Level level, NodeId n) const { return fleet_.domain_of[index(level)][n]; }
  std::uint64_t all_rails(const Crossing::Border& b) const {
    return first_gpus(links_.rails(b.level, b.domain));
  }
  void add(Crossing::Border border, std::span<const Slice> where, Crossing& crossing) const {
    if (!blocking_[index(border.level)][border.domain]) return;
    if (all_to_all_) {
      double nodes = 0;
      for (const Slice& slice : where) nodes += slice.count;
      border.times = border.nodes * (nodes - border.nodes) / (nodes - 1);
    }
    crossing.borders.push_back(border);
    if (passes(border) >= crossing.narrowest) return;
    crossing.narrowest = passes(border);
    crossing.narrow = links_.up(border.level, border.domain, 0);
  }

  /// Bytes/s out of a node that can pass if all of it goes over this border.
  double passes(const Crossing::Border& b) const {
    const std::uint32_t any = links_.up(b.level, b.domain, 0);
    return links_.capacity(any) * efficiency_ * std::popcount(b.rails) / b.times;
  }

  /// Nodes side by side are mostly alike.
  const Ports& ports(const Wiring& wiring, GpuMask gpus) {
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

  void visit(NodeId n, GpuMask gpus, Crossing& crossing) {
    const Wiring& wiring = fleet_.wiring(n);
    const Ports& own = ports(wiring, gpus);
    const int count = std::popcount(own.nics);
    crossing.sends = std::min(crossing.sends, count * wiring.nic_bytes_per_s);
    if (own.shared)
      for (std::uint32_t k = 0; k < wiring.nics; ++k)
        if (own.shared >> k & 1)
          crossing.nics.push_back({link(links_.nic(n, k), 1, 0), 1.0 / count});
    for (const Level level : kSwitched) {
      std::vector<Crossing::Border>& used = used_[index(level)];
      const std::uint32_t d = domain(level, n);
      if (used.empty() || used.back().domain != d) used.push_back({level, d});
      used.back().rails |= wiring.rails ? own.nics : 1;
      ++used.back().nodes;
    }
  }

  /// The solver knows links that somebody has used; `kind`: all rails of a domain together, or one.
  MaxMin::Link link(Links::Id id, double times, std::uint64_t kind) {
    const auto [known, is_new] = known_.try_emplace(kind << 32 | id);
    if (is_new) known->second = net_.add_link(links_.capacity(id) * times);
    return known->second;
  }

  const Fleet& fleet_;
  double efficiency_;
  bool all_to_all_;
  MaxMin& net_;
  Links links_;
  std::array<std::vector<bool>, kLevels> blocking_, split_;  // by domain
  std::array<std::vector<Crossing::Border>, kLevels> used_;  // scratch
  Ports ports_;                                              // of the last node
  std::vector<MaxMin::Use> uses_;                            // scratch
  std::unordered_map<std::uint64_t, MaxMin::Link> known_;
};

/// Jobs of several nodes share the links between these.
///
/// In a unit of time with all that its NICs have, B, a job computes for 1 - c and communicates for c; it sends
/// c B out of each node. Where its narrowest link leaves it r, alone, it takes 1 - c + c B / r: that is what
/// a placement over an oversubscribed link costs without any neighbour. All its rails go at one pace, so it
/// is one flow over all links that it crosses; links are shared by max-min fairness.
///
/// demand = mean: it asks for what it sends over time, c B / (1 - c + c B / r). If it gets less it takes
/// as many times longer: neighbours take turns as well as they can. demand = steady: it asks for r all the
/// time, and communicates at what it gets.
class Network final : public Contention {
 public:
  Network(const Workload& w, const Fleet& fleet, const CostOptions& cost)
      : w_(w), cost_(cost), crossings_(fleet, cost, net_) {
    if (cost.models.empty()) return;
    for (std::uint32_t n = 0; n < w.names.size(); ++n)
      if (const auto known = cost.models.find(std::string{w.names[NameId{n}]});
          known != cost.models.end())
        share_of_[NameId{n}] = static_cast<double>(known->second) / 100;
  }

  void came(JobId job, std::span<const Slice> where) override {
    const double c = share(job);
    if (c <= 0 || !crossings_.on_network(where)) return;
    Crossing crossing = crossings_.of(where);
    if (crossing.sends <= 0) return;  // nodes without NICs: nothing is known of its network
    if (crossings_.split(crossing))
      for (auto& [other, running] : running_) {
        net_.remove(running.flow);
        send(other, running);
      }
    Running& running = running_[job];
    running.share = c;
    running.alone = 1 - c + c * crossing.sends / crossing.narrowest;
    running.asks = cost_.demand == CostOptions::Demand::mean ? c * crossing.sends / running.alone
                                                             : crossing.narrowest;
    running.crossing = std::move(crossing);
    send(job, running);
  }

  void went(JobId job, std::span<const Slice>) override {
    const auto at = running_.find(job);
    if (at == running_.end()) return;
    net_.remove(at->second.flow);
    running_.erase(at);
  }

  std::span<const Factor> changes() override {
    changes_.clear();
    for (const MaxMin::Flow flow : net_.solve()) {
      Running& running = running_.at(owner_[flow]);
      const double takes = unit(running);
      const Factor now{owner_[flow], std::max(1u, millionths(1 / takes)),
                       millionths(1 - (1 - running.share) / takes)};
      if (now.millionths == running.factor && now.communicating == running.communicating) continue;
      running.factor = now.millionths;
      running.communicating = now.communicating;
      changes_.push_back(now);
    }
    return changes_;  // flows are keyed by job, so these are in order
  }

  std::vector<Term> terms(JobId job) const override {
    const auto at = running_.find(job);
    if (at == running_.end()) return {};
    const Running& r = at->second;
    const double c = r.share, got = net_.rate(r.flow);
    const std::string narrow = r.crossing.narrow == Links::kNone
                                   ? "no link on its way carries less"
                                   : crossings_.name(r.crossing.narrow) + " " +
                                         gigabytes(r.crossing.narrowest) + " through";
    const std::string shares =
        got < r.asks ? "it asks for " + gigabytes(r.asks) + " and gets " + gigabytes(got)
                     : "it gets the " + gigabytes(r.asks) + " that it asks for";
    return {{"computing", 1 - c, "what is left of 1 without communication"},
            {"communicating", c, "at " + gigabytes(r.crossing.sends) + " out of each node"},
            {"narrow links", r.alone - 1, narrow},
            {"neighbours", unit(r) - r.alone, shares}};
  }

 private:
  struct Running {
    MaxMin::Flow flow = 0;
    Crossing crossing;
    double share = 0, asks = 0, alone = 1;
    std::uint32_t factor = static_cast<std::uint32_t>(kMillion);
    std::uint32_t communicating = 0;
  };

  /// Of its time that it communicates where nothing is in the way.
  double share(JobId job) const {
    const auto known = share_of_.find(Workload::at_or(w_.model, job, NameId{}));
    return known == share_of_.end() ? cost_.communication : known->second;
  }

  /// What a unit of its work takes at what it gets.
  double unit(const Running& running) const {
    const double c = running.share, got = net_.rate(running.flow);
    return cost_.demand == CostOptions::Demand::steady
               ? 1 - c + c * running.crossing.sends / got
               : running.alone * std::max(1.0, running.asks / got);
  }

  void send(JobId job, Running& running) {
    running.flow = net_.add(job.value, crossings_.uses(running.crossing), 1, running.asks);
    if (owner_.size() <= running.flow) owner_.resize(running.flow + 1, kNoJob);
    owner_[running.flow] = job;
  }

  const Workload& w_;
  CostOptions cost_;
  std::map<NameId, double> share_of_;  // by model
  MaxMin net_;
  Crossings crossings_;
  std::map<JobId, Running> running_;
  std::vector<JobId> owner_;  // by flow
  std::vector<Factor> changes_;
};

}  // namespace

std::unique_ptr<Contention> network_contention(const Workload& w, const Fleet& fleet,
                                               const CostOptions& cost) {
  return std::make_unique<Network>(w, fleet, cost);
}

}  // namespace muster
