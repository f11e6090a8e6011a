#include "scored.hpp"

namespace muster {
namespace {

/// Kubernetes' NodeResourcesFit: a node's score is the part of it that is free (LeastAllocated) or
/// taken (MostAllocated) with the pod on it, in whole per cent, the highest first. GPUs are the only
/// resource counted here. Kubernetes draws among equals; here the lowest-numbered node is taken.
class LeastAllocatedPlacer final : public ScoredPlacer {
 public:
  explicit LeastAllocatedPlacer(std::uint64_t) {}

 protected:
  Score score(const NodeRoom& room, const Taking& taking) override {
    return {-((room.free_milli() - taking.all_milli()) * 100 / (std::int64_t{room.width} * 1000)),
            0};
  }
  bool tightest_domain() const override { return false; }
};

class MostAllocatedPlacer final : public ScoredPlacer {
 public:
  explicit MostAllocatedPlacer(std::uint64_t) {}

 protected:
  Score score(const NodeRoom& room, const Taking& taking) override {
    const std::int64_t all = std::int64_t{room.width} * 1000;
    return {-((all - room.free_milli() + taking.all_milli()) * 100 / all), 0};
  }
};

const Placers::Add<LeastAllocatedPlacer> registered_least{
    "least_allocated",
    "Kubernetes' LeastAllocated: the node of which most, in per cent, stays free"};
const Placers::Add<MostAllocatedPlacer> registered_most{
    "most_allocated", "Kubernetes' MostAllocated: the node of which most, in per cent, gets taken"};

}  // namespace
}  // namespace muster
