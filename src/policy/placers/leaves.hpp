#pragma once
#include "muster/policy/parts/placer.hpp"

namespace muster {

/// A placer that goes leaf by leaf: it picks leaves, and takes of each the lowest-numbered nodes
/// that fit. What it derives from this class chooses the next leaf.
class LeafPlacer : public Placer {
 public:
  bool wants_domains(const Fleet& fleet) const override {
    return fleet.domains[static_cast<std::size_t>(Level::leaf)].size() > 1;
  }

 protected:
  /// What is left of a search: of nodes that fit, or of GPUs where any will do.
  struct Search {
    const Cluster& cluster;
    bool of_nodes;                    // room is one of nodes; else of GPUs
    std::uint32_t first;              // the first leaf of the scope
    std::vector<std::uint32_t> room;  // by leaf from `first`; 0 once it was used
    const Fleet& fleet() const { return cluster.fleet(); }
    std::uint32_t last() const { return first + static_cast<std::uint32_t>(room.size()); }
    std::uint32_t room_of(std::uint32_t leaf) const { return room[leaf - first]; }
  };
  /// A search for `want` begins. `used`: leaves that the gang is on already, ascending.
  virtual void begin_search(const Search& search, std::uint32_t want,
                            const std::vector<std::uint32_t>& used) = 0;
  /// The leaf, with room, to go on with while `want` are missing. Some leaf has room.
  virtual std::uint32_t next_leaf(const Search& search, std::uint32_t want) = 0;

  std::uint32_t one(const Scope& s, std::uint32_t k, const std::vector<Slice>& taken) final;
  void many(const Scope& s, std::uint32_t n, std::uint32_t k, std::vector<Slice>& out) final;
  void any(const Scope& s, std::uint32_t gpus, std::vector<Slice>& out) final;
  std::size_t choose_domain(const std::vector<std::uint32_t>& free) override;

 private:
  enum class Count : std::uint8_t { nodes, gpus };
  Search open(const Scope& s, Count count, std::uint32_t k);
  /// The part of a leaf that is in the scope.
  static Scope within(const Scope& s, std::uint32_t leaf);

  std::vector<std::uint32_t> room_;  // kept for its memory
  std::vector<std::uint32_t> used_;
};

}  // namespace muster
