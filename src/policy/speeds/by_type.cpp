#include "measured.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "muster/policy/speed.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {
namespace {

/// Another model, times how fast a job's model is on the type of GPU, in whole millionths.
class ByType final : public SpeedModel {
 public:
  ByType(std::unique_ptr<SpeedModel> sizes, const Workload& w, const Fleet& fleet)
      : sizes_(std::move(sizes)), w_(w), fleet_(fleet) {
    for (const Fleet::Pool& pool : fleet.pools)
      types_.push_back(w.throughputs.type_called(pool.gpu_type, w.names));
  }

  Speed with(JobId j, std::uint32_t gpus) const override {
    return times(j, sizes_->with(j, gpus), 1);
  }
  Speed in_pool(JobId j, std::uint32_t gpus, std::size_t pool) const override {
    return times(j, sizes_->with(j, gpus), relative_speed(w_, j, types_[pool]));
  }
  Speed on(JobId j, std::span<const Slice> where) const override {
    double slowest = 0;
    for (const Slice& s : where)
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n) {
        const double here = relative_speed(w_, j, types_[fleet_.nodes[NodeId{n}].pool]);
        slowest = slowest > 0 ? std::min(slowest, here) : here;
        if (fleet_.pools.size() == 1) break;
      }
    return times(j, sizes_->on(j, where), slowest);
  }

 private:
  static constexpr std::uint32_t kMillion = 1'000'000;

  Speed times(JobId j, Speed s, double factor) const {
    if (!speed_depends_on_type(w_, j)) return s;
    const double millionths = s.num * factor / s.den * kMillion;
    const double most = 4e9;
    if (s.num == 0) return {0, kMillion};
    return {static_cast<std::uint32_t>(std::clamp(std::floor(millionths + 0.5), 1.0, most)),
            kMillion};
  }

  std::unique_ptr<SpeedModel> sizes_;
  const Workload& w_;
  const Fleet& fleet_;
  std::vector<NameId> types_;  // by pool
};

}  // namespace

std::unique_ptr<SpeedModel> make_speeds(std::string_view name, const Workload& w,
                                        const Fleet& fleet, const SpeedOptions& options) {
  std::unique_ptr<SpeedModel> sizes = SpeedModels::all().find(name)->second.make(w, options);
  if (w.throughputs.empty()) return sizes;
  if (w.throughputs.scales()) return measured_speeds(std::move(sizes), w, fleet);
  return std::make_unique<ByType>(std::move(sizes), w, fleet);
}

}  // namespace muster
