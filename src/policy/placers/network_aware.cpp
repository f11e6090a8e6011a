#include "priced.hpp"

namespace muster {
namespace {

/// Where least work is lost to contention: what those who run lose, and what the job loses beside them. Of
/// places that add none the one where it gets on best. (Crux, SIGCOMM'24, and CASSINI, NSDI'24, choose so by
/// what jobs send; when they send is not modelled here.)
class NetworkAwarePlacer final : public PricedPlacer {
 public:
  explicit NetworkAwarePlacer(std::uint64_t seed) : PricedPlacer(seed) {}

 protected:
  Rank rank(const PlacementCost::Price& price, std::uint32_t gpus) const override {
    const double loses = gpus * (1 / price.alone - 1 / price.own);
    return {price.others + loses, price.alone};
  }
};

const Placers::Add<NetworkAwarePlacer> registered{
    "network_aware",
    "where least work is lost to contention by /cost, of what other placers find in the fleet, in "
    "a "
    "leaf and in a pod"};

}  // namespace
}  // namespace muster
