#pragma once
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "muster/cluster/demand.hpp"
#include "muster/cluster/gpu_mask.hpp"
#include "muster/cost/training.hpp"
#include "muster/policy/speed.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// The steps of jobs whose training is known, on the GPUs that they have and on as many that lie as near
/// to each other as the fleet allows: its reference, where the durations of the trace hold.
class JobSteps {
 public:
  struct Here {
    const Training* training = nullptr;
    ParallelPlan plan;
    PlacedPlan placed;
    StepTime step;            // with the network to itself
    double us = 0;            // of it, in all
    double reference_us = 0;  // of one at the reference
    double on_wires = 0;      // of its time, how much of it some of it is on the network
    double units() const { return us / reference_us; }
  };
  using HerePtr = std::shared_ptr<const Here>;

  JobSteps(const Workload& w, const Fleet& fleet, std::shared_ptr<const Trainings> trainings);

  /// Null if nothing is known of what it trains, or of such GPUs, or the plan is not for as many.
  HerePtr here(JobId job, std::span<const Slice> where);
  /// The same of a job of that model that asks for `d`.
  HerePtr here(NameId model, const Demand& d, std::span<const Slice> where);
  /// It is known what jobs of that model train.
  bool trains(NameId model) const { return training(model) != nullptr; }
  /// Of a step there, if it has only that share of its network.
  double us_at(const Here& here, double share) const;
  /// Its parts, with what they are reckoned from.
  std::vector<CostTerm> terms(const Here& here) const;
  /// A step in that pool, over one at the reference; 1 where it isn't known.
  double pool_units(JobId job, std::uint32_t gpus, std::size_t pool);
  /// For how many jobs it is not known though their model is; "" if for none.
  std::string unknown_text() const;

 private:
  const Training* training(NameId model) const;
  double reference_us(NameId model, const Training& training, const Demand& d, std::uint32_t gpus);
  double tightest_us(const Training& training, const ParallelPlan& plan, PoolMask pools,
                     std::uint32_t per_node, std::uint32_t gpus) const;
  bool known(std::span<const Slice> where) const;
  HerePtr reckon(NameId model, const Training& training, const Demand& d,
                 std::span<const Slice> where);

  const Workload& w_;
  const Fleet& fleet_;
  std::shared_ptr<const Trainings> trainings_;
  CostMap map_;
  IdVector<ShapeId, Demand> demands_;
  std::map<NameId, const Training*> training_of_;
  using Size = std::tuple<NameId, PoolMask, std::uint32_t, std::uint32_t>;
  std::map<Size, double> references_;
  using Place = std::vector<std::uint64_t>;
  std::map<Place, HerePtr> places_;  // asked for lately
};

/// Where so many GPUs of these pools (`per_node` on each node; 0: as many as it has) are as near to each
/// other as the fleet allows: on the fewest nodes of the smallest domain that has enough, of one type. Empty
/// if no domain has.
std::vector<Slice> tightest(const Fleet& fleet, PoolMask pools, std::uint32_t per_node,
                            std::uint32_t gpus);

/// `speeds`, with what steps take where jobs are.
std::unique_ptr<SpeedModel> step_speeds(std::unique_ptr<SpeedModel> speeds,
                                        std::shared_ptr<JobSteps> steps);

}  // namespace muster
