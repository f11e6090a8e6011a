#include "measured.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "muster/topology/fleet.hpp"
#include "muster/workload/curves.hpp"
#include "muster/workload/workload.hpp"

namespace muster {
namespace {

class Measured final : public SpeedModel {
 public:
  Measured(std::unique_ptr<SpeedModel> otherwise, const Workload& w, const Fleet& fleet)
      : otherwise_(std::move(otherwise)), w_(w), fleet_(fleet) {
    for (const auto& [key, steps] : w.throughputs.rows()) {
      if (key.nodes == 0 || !(steps > 0)) continue;
      curves_[{key.model, key.type}].add(key.nodes, key.gpus, steps);
    }
    for (const Fleet::Pool& pool : fleet.pools) {
      const NameId type = w.throughputs.type_called(pool.gpu_type, w.names);
      types_.push_back(type == NameId{} ? w.throughputs.reference : type);
    }
    for (const Fleet::Node& node : fleet.nodes) {
      width_.resize(fleet.pools.size());
      width_[node.pool] = std::max<std::uint32_t>(width_[node.pool], node.gpus);
    }
  }

  Speed with(JobId j, std::uint32_t gpus) const override {
    const Curves* c = curves_of(j, w_.throughputs.reference);
    if (!c) return in_millionths(otherwise_->with(j, gpus));
    return gpus == 0 ? Speed{0, kMillion} : relative(j, c->steps_per_s(gpus, 1));
  }
  Speed in_pool(JobId j, std::uint32_t gpus, std::size_t pool) const override {
    const Curves* c = curves_of(j, types_[pool]);
    if (!c) return in_millionths(otherwise_->in_pool(j, gpus, pool));
    if (gpus == 0) return {0, kMillion};
    return relative(j, c->steps_per_s(gpus, (gpus + width_[pool] - 1) / width_[pool]));
  }
  /// On several types as on the slowest.
  Speed on(JobId j, std::span<const Slice> where) const override {
    if (!curves_of(j, w_.throughputs.reference)) return in_millionths(otherwise_->on(j, where));
    std::uint32_t gpus = 0, nodes = 0;
    PoolMask pools = 0;
    for (const Slice& s : where) {
      gpus += s.count * count(s.gpus);
      nodes += s.count;
      for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
        pools |= PoolMask{1} << fleet_.nodes[NodeId{n}].pool;
    }
    double slowest = 0;
    for (std::size_t p = 0; p < types_.size(); ++p) {
      if (!((pools >> p) & 1)) continue;
      const Curves* c = curves_of(j, types_[p]);
      const double here = c ? c->steps_per_s(gpus, nodes) : reference(j);
      slowest = slowest > 0 ? std::min(slowest, here) : here;
    }
    return relative(j, slowest);
  }

 private:
  static constexpr std::uint32_t kMillion = 1'000'000;

  const Curves* curves_of(JobId j, NameId type) const {
    const auto at = curves_.find({Workload::at_or(w_.model, j, NameId{}), type});
    return at == curves_.end() ? nullptr : &at->second;
  }
  /// Where it has the GPUs it asks for and they lie well, on the type on which durations hold.
  double reference(JobId j) const {
    return curves_of(j, w_.throughputs.reference)->steps_per_s(w_.shapes[w_.shape[j]].gpus, 1);
  }
  Speed relative(JobId j, double steps) const {
    return {static_cast<std::uint32_t>(
                std::clamp(std::floor(steps / reference(j) * kMillion + 0.5), 1.0, 4e9)),
            kMillion};
  }
  static Speed in_millionths(Speed s) {
    if (s.num == 0 || s.den == kMillion) return {s.num, kMillion};
    const double millionths = static_cast<double>(s.num) * kMillion / s.den;
    return {static_cast<std::uint32_t>(std::clamp(std::floor(millionths + 0.5), 1.0, 4e9)),
            kMillion};
  }

  std::unique_ptr<SpeedModel> otherwise_;
  const Workload& w_;
  const Fleet& fleet_;
  std::map<std::pair<NameId, NameId>, Curves> curves_;  // by model and type
  std::vector<NameId> types_;                           // by pool
  std::vector<std::uint32_t> width_;                    // GPUs of its widest node, by pool
};

}  // namespace

std::unique_ptr<SpeedModel> measured_speeds(std::unique_ptr<SpeedModel> otherwise,
                                            const Workload& w, const Fleet& fleet) {
  return std::make_unique<Measured>(std::move(otherwise), w, fleet);
}

}  // namespace muster
