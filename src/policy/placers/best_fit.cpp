#include "scored.hpp"

namespace muster {
namespace {

/// The node that keeps the fewest free thousandths of GPUs. Unlike pack, which counts whole free
/// GPUs, it sees what is left on shared ones.
class BestFitPlacer final : public ScoredPlacer {
 public:
  explicit BestFitPlacer(std::uint64_t) {}

 protected:
  Score score(const NodeRoom& room, const Taking& taking) override {
    return {room.free_milli() - taking.all_milli(), 0};
  }
};

const Placers::Add<BestFitPlacer> registered{
    "best_fit", "the node that keeps the fewest free GPUs, shares of shared ones counted"};

}  // namespace
}  // namespace muster
