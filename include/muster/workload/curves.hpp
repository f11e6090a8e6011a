#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace muster {

/// Steps per second of one model on one type of GPU, on GPUs of so many nodes.
struct Curve {
  std::uint32_t nodes;
  std::vector<std::pair<std::uint32_t, double>> points;  // GPUs, steps per second; by GPUs

  bool covers(std::uint32_t gpus) const { return gpus <= points.back().first; }
  /// On the straight line between the listed numbers of GPUs; as on the first or last beyond them.
  double at(std::uint32_t gpus) const;
};

/// The curves of a model on a type, by nodes.
class Curves {
 public:
  /// Numbers of GPUs in increasing order.
  void add(std::uint32_t nodes, std::uint32_t gpus, double steps_per_s);
  bool empty() const { return curves_.empty(); }
  const std::vector<Curve>& all() const { return curves_; }
  std::uint32_t least_gpus() const;
  std::uint32_t most_gpus() const;
  /// Between the next fewer and the next more nodes that are listed on a straight line; on fewer nodes
  /// than were tried for so many GPUs as on the fewest that were, on more as on the most. On more GPUs
  /// than any that are listed as on the most. There must be a curve.
  double steps_per_s(std::uint32_t gpus, std::uint32_t nodes) const;

 private:
  std::vector<Curve> curves_;
};

}  // namespace muster
