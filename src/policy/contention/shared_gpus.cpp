#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "muster/workload/workload.hpp"
#include "policy/contention/kinds.hpp"

namespace muster {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;

/// Jobs that share GPUs (by shares of one, or packed side by side on the same ones; not MIG instances, which
/// have slices of their own) take turns there: with k of them each gets on at
///   1 / (1 + interference (k - 1))
/// of the speed that it has alone. A share says how much of a GPU a job may have; interference is what
/// caches, memory bandwidth and switching cost beyond that.
class SharedGpus final : public Contention {
 public:
  SharedGpus(const Workload& w, double interference) : w_(w), interference_(interference) {}

  void came(JobId j, std::span<const Slice> where) override {
    if (!shares(j)) return;
    std::vector<Tenant>& here = tenants_[gpu_of(where)];
    here.push_back({j, kMillion});
    touched_.insert(gpu_of(where));
  }

  void went(JobId j, std::span<const Slice> where) override {
    if (!shares(j)) return;
    const auto at = tenants_.find(gpu_of(where));
    std::erase_if(at->second, [&](const Tenant& t) { return t.job == j; });
    if (at->second.empty()) tenants_.erase(at);
    touched_.insert(gpu_of(where));
  }

  std::span<const Factor> changes() override {
    changes_.clear();
    for (const Gpu& gpu : touched_) {
      const auto at = tenants_.find(gpu);
      if (at == tenants_.end()) continue;
      const auto others = static_cast<double>(at->second.size() - 1);
      const auto factor =
          static_cast<std::uint32_t>(std::llround(kMillion / (1 + interference_ * others)));
      for (Tenant& t : at->second) {
        if (t.factor != factor) changes_.push_back({t.job, factor});
        t.factor = factor;
      }
    }
    touched_.clear();
    std::sort(changes_.begin(), changes_.end(),
              [](const Factor& a, const Factor& b) { return a.job < b.job; });
    return changes_;
  }

  std::vector<Term> terms(JobId j) const override {
    for (const auto& [gpu, here] : tenants_) {
      const auto own = [&](const Tenant& t) { return t.job == j; };
      if (here.size() < 2 || std::none_of(here.begin(), here.end(), own)) continue;
      const std::size_t others = here.size() - 1;
      return {{"computing", 1, "what the trace says"},
              {"shared GPUs", interference_ * static_cast<double>(others),
               std::to_string(others) + (others == 1 ? " other job is" : " other jobs are") +
                   " on them, and all take turns (/engine/interference)"}};
    }
    return {};
  }

 private:
  using Gpu = std::pair<NodeId, GpuMask>;
  struct Tenant {
    JobId job;
    std::uint32_t factor;
  };

  bool shares(JobId j) const { return w_.shapes[w_.shape[j]].mig == 0; }
  /// Jobs side by side hold the same GPUs: the first of them will do.
  static Gpu gpu_of(std::span<const Slice> where) { return {where[0].first, where[0].gpus}; }

  const Workload& w_;
  double interference_;
  std::map<Gpu, std::vector<Tenant>> tenants_;
  std::set<Gpu> touched_;
  std::vector<Factor> changes_;
};

class InMillionths final : public SpeedModel {
 public:
  explicit InMillionths(std::unique_ptr<SpeedModel> speeds) : speeds_(std::move(speeds)) {}
  Speed with(JobId j, std::uint32_t gpus) const override { return round(speeds_->with(j, gpus)); }
  Speed on(JobId j, std::span<const Slice> where) const override {
    return round(speeds_->on(j, where));
  }
  Speed in_pool(JobId j, std::uint32_t gpus, std::size_t pool) const override {
    return round(speeds_->in_pool(j, gpus, pool));
  }

 private:
  static Speed round(Speed s) {
    if (s.num == 0 || s.den == kMillion) return {s.num, kMillion};
    const std::uint64_t n = (std::uint64_t{s.num} * kMillion + s.den / 2) / s.den;
    return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(n, 1, UINT32_MAX)), kMillion};
  }

  std::unique_ptr<SpeedModel> speeds_;
};

}  // namespace

std::unique_ptr<Contention> shared_gpus(const Workload& w, double interference) {
  return std::make_unique<SharedGpus>(w, interference);
}

std::unique_ptr<SpeedModel> in_millionths(std::unique_ptr<SpeedModel> speeds) {
  return std::make_unique<InMillionths>(std::move(speeds));
}

Speed slowed(Speed alone, std::uint32_t millionths) {
  const std::uint64_t n = (std::uint64_t{alone.num} * millionths + kMillion / 2) / kMillion;
  return {static_cast<std::uint32_t>(std::max<std::uint64_t>(n, 1)), alone.den};
}

}  // namespace muster
