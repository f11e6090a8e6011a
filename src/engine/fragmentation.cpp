#include "muster/engine/fragmentation.hpp"

#include "engine.hpp"
#include "muster/policy/job_traffic.hpp"

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

class Senders {
 public:
  Senders(const Fleet& fleet, const Workload& workload, const CostOptions& cost)
      : jobs_(workload.size()) {
    if (cost.of_use()) traffic_.emplace(workload, fleet, cost);
  }
  std::optional<Traffic> now(const Engine& engine) const {
    if (!traffic_) return std::nullopt;
    Traffic all;
    for (std::uint32_t j = 0; j < jobs_; ++j)
      if (engine.runs(JobId{j}))
        all += traffic_->per_second(JobId{j}, engine.where(JobId{j})) * engine.pace(JobId{j});
    return all;
  }

 private:
  std::size_t jobs_;
  std::optional<JobTraffic> traffic_;
};

}  // namespace

std::vector<FragmentationAt> fragmentation_over_time(const Fleet& fleet, const Workload& workload,
                                                     Policy& policy, const EngineOptions& options,
                                                     SimTime from, Duration every,
                                                     std::uint64_t seed) {
  std::vector<FragmentationAt> out;
  Observer nobody;
  Engine engine(fleet, workload, policy, options, nobody, seed);
  const Senders senders(fleet, workload, options.cost);
  SimTime next = from;
  engine.run({}, [&](const View& view) {
    // As it stands now it stays until something happens again; in the end, for good.
    const SimTime following = engine.next_instant();
    while (following == kNever ? next <= view.now : next < following) {
      const bool before_all = next < view.now;  // then nobody had come yet
      FragmentationAt then{next, 0, 0,
                           before_all ? fragmentation(Cluster(fleet, true), {})
                                      : fragmentation(view.cluster, asked_by(workload, view)),
                           senders.now(engine)};
      for (std::uint32_t j = 0; j < workload.size() && !before_all; ++j) {
        then.running += engine.runs(JobId{j}) ? 1 : 0;
        then.waiting += engine.waits(JobId{j}) ? 1 : 0;
      }
      out.push_back(std::move(then));
      if (every == Duration{}) return false;
      next = later(next, every);
    }
    return true;
  });
  return out;
}

}  // namespace muster
