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

 private:
  const Workload& w_;
};

const SpeedModels::Add<Linear> registered{"linear", "twice the GPUs, twice the speed"};

}  // namespace
}  // namespace muster
