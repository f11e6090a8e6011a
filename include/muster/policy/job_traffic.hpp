#pragma once
#include <memory>
#include <span>

#include "muster/cluster/gpu_mask.hpp"
#include "muster/core/id.hpp"
#include "muster/cost/traffic.hpp"
#include "muster/policy/cost_options.hpp"
#include "muster/topology/fleet.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

class JobSteps;

/// What jobs send while they get on, as far as /cost says something of it. Where their step is known, its
/// plan says so; of others a share of what their NICs have.
class JobTraffic {
 public:
  JobTraffic(const Workload& w, const Fleet& fleet, const CostOptions& cost);

  /// In a second of the job's work, as the trace counts it, on these GPUs.
  Traffic per_second(JobId job, std::span<const Slice> where) const;

 private:
  Traffic of_share(double share, std::span<const Slice> where) const;

  const Workload& w_;
  const Fleet& fleet_;
  CostOptions cost_;
  std::shared_ptr<JobSteps> steps_;
};

}  // namespace muster
