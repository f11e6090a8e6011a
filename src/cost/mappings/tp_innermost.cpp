// Megatron's order: tensor parallel ranks are neighbours, then context, data and pipeline parallel.
#include "muster/cost/mapping.hpp"

namespace muster {
namespace {

class TpInnermost final : public Mapping {
 public:
  std::array<Axis, kAxes> innermost_first() const override {
    return {Axis::tp, Axis::cp, Axis::dp, Axis::pp};
  }
};

const MappingRegistry::Add<TpInnermost> registered{
    "tp_innermost",
    "tensor parallel ranks side by side, pipeline stages farthest apart (Megatron)"};

}  // namespace
}  // namespace muster
