#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "muster/cluster/cluster.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

/// Running jobs moved out of the way, so that GPUs that lie apart come together.
class Defrag {
 public:
  struct Move {
    JobId job;
    std::uint32_t from, to;  // nodes
    GpuMask gpus;            // of `to`
  };
  /// Beyond so many moves tried the answer is "none": a bound on the work of one search.
  static constexpr std::size_t kMostSteps = 20'000;

  /// The fewest moves, at most `most`, after which `d` fits, and of those the fewest GPUs moved; empty if
  /// there are none, or none was found in kMostSteps. Moves are made one after another, each into GPUs
  /// that are free by then, and no job moves twice. Only jobs on one node move, and only to another
  /// one; jobs for which `may_move` does not hold stay.
  template <class MayMove>
  const std::vector<Move>& find(const View& view, const Demand& d, std::int64_t most,
                                MayMove may_move) {
    jobs_.clear();
    view.running.each([&](const RunningJob& r) {
      if (may_move(r)) add(view, r);
      return true;
    });
    search(view, d, most);
    return best_;
  }

 private:
  struct Piece {  // a job on one node
    JobId job;
    std::uint32_t node;
    GpuMask gpus;
    const Demand* demand;
    bool moved = false;
    std::uint32_t size() const { return count(gpus); }
  };

  void add(const View& view, const RunningJob& r);
  void search(const View& view, const Demand& d, std::int64_t most);
  void step(const Demand& d, std::int64_t left, std::uint32_t gpus);
  bool may_help(const Demand& d, std::uint32_t node, std::uint32_t more) const;
  bool may_go(const Piece& p, std::uint32_t node) const;

  std::optional<Cluster> cluster_;  // as it will be
  std::vector<Piece> jobs_;         // the smallest first
  std::vector<Move> made_, best_;
  std::uint32_t best_gpus_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace muster
