#include "muster/engine/fragmentation.hpp"

#include "engine.hpp"

namespace muster {
namespace {

/// What the jobs that were submitted by now ask for.
std::vector<Asked> asked_by(const Workload& workload, const View& view) {
  std::vector<Asked> asked(view.demands.size());
  for (std::uint32_t s = 0; s < asked.size(); ++s) asked[s].demand = &view.demands[ShapeId{s}];
  for (std::uint32_t j = 0; j < workload.size() && workload.submit[JobId{j}] <= view.now; ++j)
    ++asked[workload.shape[JobId{j}].value].jobs;
  return asked;
}

}  // namespace

std::vector<FragmentationAt> fragmentation_over_time(const Fleet& fleet, const Workload& workload,
                                                     Policy& policy, const EngineOptions& options,
                                                     SimTime from, Duration every,
                                                     std::uint64_t seed) {
  std::vector<FragmentationAt> out;
  Observer nobody;
  Engine engine(fleet, workload, policy, options, nobody, seed);
  SimTime next = from;
  engine.run({}, [&](const View& view) {
    if (view.now < next) return true;
    FragmentationAt now{view.now, 0, 0, fragmentation(view.cluster, asked_by(workload, view))};
    for (std::uint32_t j = 0; j < workload.size(); ++j) {
      now.running += engine.runs(JobId{j}) ? 1 : 0;
      now.waiting += engine.waits(JobId{j}) ? 1 : 0;
    }
    out.push_back(std::move(now));
    while (every > Duration{} && next <= view.now) next = later(next, every);
    return every > Duration{};
  });
  return out;
}

}  // namespace muster
