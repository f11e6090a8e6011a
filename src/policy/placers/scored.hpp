#pragma once
#include <array>
#include <span>
#include <vector>

#include "muster/policy/parts/placer.hpp"

namespace muster {

/// A node as a score sees it.
struct NodeRoom {
  std::uint32_t pool;
  std::uint32_t width;  // GPUs it has
  std::uint32_t whole;  // of them free
  std::span<const std::uint32_t>
      shared;  // thousandths free on each partly taken GPU, fullest first

  std::int64_t free_milli() const {
    std::int64_t milli = std::int64_t{whole} * 1000;
    for (const std::uint32_t left : shared) milli += left;
    return milli;
  }
};

/// What is taken from a node: whole GPUs, or a share of one.
struct Taking {
  static constexpr std::uint32_t kFresh = UINT32_MAX;  // the share opens a whole GPU

  std::uint32_t whole = 0;
  std::uint32_t milli = 0;    // 0: no share
  std::uint32_t on = kFresh;  // which of NodeRoom::shared
  std::int64_t all_milli() const { return std::int64_t{whole} * 1000 + milli; }
};

/// Placers that give each node a score for what it would be asked to give, and take the nodes with
/// the lowest. O(nodes + shared GPUs) per question.
class ScoredPlacer : public Placer {
 public:
  using Score = std::array<std::int64_t, 2>;  // the second breaks ties of the first

 protected:
  /// Lower is better. Equal scores: the lower-numbered node; on one node the fullest GPU.
  virtual Score score(const NodeRoom& room, const Taking& taking) = 0;

  std::uint32_t one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) override;
  void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) override;
  void any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) override;
  std::size_t choose_domain(const std::vector<std::uint32_t>& free) override;
  const Cluster::Share* share(const Scope& s, std::uint32_t milli) override;
  std::uint32_t whole_for_share(const Scope&, std::uint32_t) override { return fresh_; }
  /// Domains: the tightest, or else the emptiest.
  virtual bool tightest_domain() const { return true; }

 private:
  struct Scored {
    Score score;
    std::uint32_t node;
    friend auto operator<=>(const Scored&, const Scored&) = default;
  };
  /// Calls visit(node, NodeRoom) for the nodes of the scope, in order.
  template <class Visit>
  void each_node(const Scope& s, Visit visit);

  std::uint32_t fresh_ = NodeSet::kNone;  // where share() found that a whole GPU is better
  std::vector<std::uint32_t> shared_, gpus_;
  std::vector<Scored> scored_;
};

}  // namespace muster
