// Pipeline stages inside the node, the replicas of a stage along the rails.
#include "muster/cost/mapping.hpp"

namespace muster {
namespace {

class PpInnermost final : public Mapping {
 public:
  std::array<Axis, kAxes> innermost_first() const override {
    return {Axis::tp, Axis::pp, Axis::cp, Axis::dp};
  }
};

const MappingRegistry::Add<PpInnermost> registered{
    "pp_innermost", "pipeline stages side by side behind tensor parallel, replicas farthest apart"};

}  // namespace
}  // namespace muster
