#include "muster/policy/speed.hpp"
#include "muster/workload/workload.hpp"

namespace muster {
namespace {

/// Twice the GPUs, twice the speed (CONVENTIONS C13).
class Linear final : public SpeedModel {
 public:
  Linear(const Workload& w, const SpeedOptions&) : w_(w) {}
  Speed with(JobId j, std::uint32_t gpus) const override {
    return w_.sizes(j).elastic() ? Speed{gpus, w_.shapes[w_.shape[j]].gpus} : Speed{};
  }
  Speed on(JobId j, std::span<const Slice> where) const override {
    return w_.sizes(j).elastic() ? with(j, gpus_in(where)) : Speed{};  // most need no counting
  }

 private:
  const Workload& w_;
};

const SpeedModels::Add<Linear> registered{"linear", "twice the GPUs, twice the speed"};

}  // namespace
}  // namespace muster
