#include "scored.hpp"

namespace muster {
namespace {

/// How well a demand lines up with what a node has free: the product of the two vectors (Grandl et
/// al., SIGCOMM 2014, section 3.2). Only GPUs are modelled, so the vectors have two entries: whole
/// free GPUs, and thousandths of the GPU that gives a share.
std::int64_t product(const NodeRoom& room, const Taking& taking) {
  const std::int64_t whole = std::int64_t{room.whole} * taking.whole * 1'000'000;
  const std::int64_t left = taking.on == Taking::kFresh ? 1000 : room.shared[taking.on];
  return whole + left * taking.milli;
}

/// Tetris takes the node with the largest product: the emptiest.
class DotProductPlacer final : public ScoredPlacer {
 public:
  explicit DotProductPlacer(std::uint64_t) {}

 protected:
  Score score(const NodeRoom& room, const Taking& taking) override {
    return {-product(room, taking), 0};
  }
  bool tightest_domain() const override { return false; }
};

/// What the authors of FGD compare with under this name: the smallest product.
class LeastDotProductPlacer final : public ScoredPlacer {
 public:
  explicit LeastDotProductPlacer(std::uint64_t) {}

 protected:
  Score score(const NodeRoom& room, const Taking& taking) override {
    return {product(room, taking), 0};
  }
};

const Placers::Add<DotProductPlacer> registered{
    "dot_product", "Tetris: the node whose free GPUs line up best with the demand (the emptiest)"};
const Placers::Add<LeastDotProductPlacer> registered_least{
    "dot_product_least", "the least such product, as FGD's authors compare with"};

}  // namespace
}  // namespace muster
