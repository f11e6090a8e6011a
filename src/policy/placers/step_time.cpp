#include "priced.hpp"

namespace muster {
namespace {

/// Where the job itself gets on best, beside those who run by now.
class StepTimePlacer final : public PricedPlacer {
 public:
  explicit StepTimePlacer(std::uint64_t seed) : PricedPlacer(seed) {}

 protected:
  Rank rank(const PlacementCost::Price& price, std::uint32_t) const override {
    return {price.own, price.others};
  }
};

const Placers::Add<StepTimePlacer> registered{
    "step_time",
    "where the job's work takes least by /cost, of what other placers find in the fleet, in a leaf "
    "and in a pod"};

}  // namespace
}  // namespace muster
