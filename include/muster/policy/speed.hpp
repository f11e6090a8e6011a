#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/core/id.hpp"
#include "muster/core/int128.hpp"
#include "muster/core/registry.hpp"
#include "muster/core/time.hpp"
#include "muster/policy/params.hpp"

namespace muster {

struct Fleet;
struct Workload;

/// How fast a job gets on: it does `num` nanoseconds of its work in `den` on the clock. A job's work is
/// what it takes on the GPUs it asks for, where its speed is 1. All speeds of one job have the same
/// `den`, so that its work can be counted in whole `den`ths of a nanosecond and nothing is ever rounded
/// however often it is resized.
struct Speed {
  std::uint32_t num = 1, den = 1;
  friend bool operator==(const Speed&, const Speed&) = default;
};

/// `units` / `speed.num`, rounded up: the nanoseconds in which so many `den`ths of one are done.
inline Duration time_for(Int128 units, Speed speed) {
  const Int128 ns = speed.num == 1 ? units : (units + speed.num - 1) / speed.num;
  return ns > kUnlimited.count() ? kUnlimited : Duration{static_cast<std::int64_t>(ns)};
}
/// How long `work` takes at `speed`, rounded up.
inline Duration time_for(Duration work, Speed speed) {
  if (speed.num == speed.den || work == kUnlimited) return work;
  return time_for(Int128{work.count()} * speed.den, speed);
}

/// What speed models can be told.
struct SpeedOptions {
  double serial = 0.02;
  double interference = 0;
  void walk(ParamVisitor& visit);
};

/// How speed depends on size and place: a fact about the jobs, the same for every policy. Policies may
/// ask it what would be.
class SpeedModel {
 public:
  virtual ~SpeedModel() = default;
  /// On `gpus` GPUs that lie well. 0 GPUs: no speed at all.
  virtual Speed with(JobId job, std::uint32_t gpus) const = 0;
  virtual Speed on(JobId job, std::span<const Slice> where) const {
    return with(job, gpus_in(where));
  }
  /// On `gpus` GPUs of one pool that lie well.
  virtual Speed in_pool(JobId job, std::uint32_t gpus, std::size_t pool) const {
    static_cast<void>(pool);
    return with(job, gpus);
  }
};

using SpeedModels = Registry<SpeedModel, const Workload&, const SpeedOptions&>;

/// The model called `name`, and if the workload has a table of throughputs, over that how fast jobs are on
/// the types of the fleet: `with` then means the type on which the trace's durations hold. A job on several
/// types is as fast as on the slowest. A table that says on how many nodes GPUs are takes the place of the
/// model for the jobs whose models it has.
std::unique_ptr<SpeedModel> make_speeds(std::string_view name, const Workload& w,
                                        const Fleet& fleet, const SpeedOptions& options);

}  // namespace muster
