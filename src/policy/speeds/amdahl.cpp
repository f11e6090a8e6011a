#include <algorithm>
#include <cmath>

#include "muster/policy/speed.hpp"
#include "muster/workload/workload.hpp"

namespace muster {
namespace {

/// A share s of the work on one GPU gets no faster, the rest n times as fast on n GPUs: S(n) = 1 / (s +
/// (1 - s) / n) (Amdahl, AFIPS 1967), over S of the GPUs asked for. In whole millionths.
class Amdahl final : public SpeedModel {
 public:
  Amdahl(const Workload& w, const SpeedOptions& o) : w_(w), serial_(o.serial) {}
  Speed with(JobId j, std::uint32_t gpus) const override {
    if (!w_.sizes(j).elastic()) return {};
    if (gpus == 0) return {0, kMillion};
    const double ratio = time(w_.shapes[w_.shape[j]].gpus) / time(gpus);
    return {static_cast<std::uint32_t>(std::max(1.0, std::floor(ratio * kMillion + 0.5))),
            kMillion};
  }

 private:
  static constexpr std::uint32_t kMillion = 1'000'000;
  double time(std::uint32_t gpus) const { return serial_ + (1 - serial_) / gpus; }

  const Workload& w_;
  double serial_;
};

const SpeedModels::Add<Amdahl> registered{
    "amdahl", "a share of the work, `serial`, gets no faster however many GPUs there are"};

}  // namespace
}  // namespace muster
