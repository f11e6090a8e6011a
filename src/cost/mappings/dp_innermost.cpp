// Replicas side by side: gradients stay inside nodes, whatever is split by tensor leaves them.
#include "muster/cost/mapping.hpp"

namespace muster {
namespace {

class DpInnermost final : public Mapping {
 public:
  std::array<Axis, kAxes> innermost_first() const override {
    return {Axis::dp, Axis::cp, Axis::tp, Axis::pp};
  }
};

const MappingRegistry::Add<DpInnermost> registered{
    "dp_innermost", "replicas side by side, so that gradients stay inside nodes"};

}  // namespace
}  // namespace muster
