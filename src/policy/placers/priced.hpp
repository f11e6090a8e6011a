#pragma once
#include <memory>
#include <vector>

#include "muster/cluster/placement_cost.hpp"
#include "pack.hpp"

namespace muster {

/// Asks other placers where a job could go, also inside one leaf and inside one pod, and takes the place that
/// costs least; of those that cost the same the tightest node, or leaf. Where the job gets on as well as it could
/// anywhere, and nobody loses by it, it asks no further. As pack where a run does not say what places cost.
class PricedPlacer : public PackPlacer {
 public:
  explicit PricedPlacer(std::uint64_t seed);
  bool place(const Cluster& cluster, const Demand& d, std::vector<Slice>& out) override;
  bool wants_domains(const Fleet&) const override { return true; }
  void submitted(const Demand& d, const Fleet& fleet) override;

 protected:
  /// Less is better; compared in order.
  struct Rank {
    double first = 0, second = 0;
  };
  virtual Rank rank(const PlacementCost::Price& price, std::uint32_t gpus) const = 0;

 private:
  void consider(const Cluster& cluster, const Demand& d, const std::vector<Slice>& place);
  void consider_inside(const Cluster& cluster, const Demand& d);
  void consider_gpus(const Cluster& cluster, const Demand& d);

  std::vector<std::unique_ptr<Placer>> others_;
  std::vector<Slice> best_, found_;
  std::vector<std::vector<Slice>>
      tried_places_;  // the first tried_ of them; others kept for their memory
  std::ptrdiff_t tried_ = 0;
  Rank least_;
  bool done_ = false;  // no place can be better
};

}  // namespace muster
