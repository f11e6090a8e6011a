#include "muster/policy/job_steps.hpp"

#include <algorithm>
#include <cmath>

#include "muster/topology/fabric.hpp"

namespace muster {
namespace {

constexpr std::size_t kMostPlaces = 4096;

std::size_t at(Level level) { return static_cast<std::size_t>(level); }

/// The nodes of one pool in a range, until there are enough GPUs; how many are missing then.
std::uint32_t take_nodes(const Fleet& fleet, NodeRange range, std::size_t pool,
                         std::uint32_t per_node, std::uint32_t gpus, std::vector<Slice>& out) {
  out.clear();
  for (std::uint32_t n = range.first; n < range.last && gpus > 0; ++n) {
    const Fleet::Node& node = fleet.nodes[NodeId{n}];
    if (node.pool != pool || node.gpus < per_node) continue;
    const std::uint32_t here = std::min<std::uint32_t>(gpus, per_node > 0 ? per_node : node.gpus);
    out.push_back({NodeId{n}, 1, first_gpus(here)});
    gpus -= here;
  }
  return gpus;
}

/// Of the time of a step, how long something of it is on the network.
double wires_us(const PlacedPlan& placed, const StepTime& step) {
  const auto across = [](const std::vector<GpuGroup>& groups) {
    return std::any_of(groups.begin(), groups.end(),
                       [](const GpuGroup& g) { return g.domains > 1; });
  };
  const auto axis = [&](Axis a) { return step.communication_us[static_cast<std::size_t>(a)]; };
  double us = 0;
  if (across(placed.tp)) us += axis(Axis::tp);
  if (across(placed.cp)) us += axis(Axis::cp);
  if (across(placed.pp)) us += axis(Axis::pp);
  if (across(placed.dp) || across(placed.expert_dp)) us += axis(Axis::dp);
  if (across(placed.ep)) us += step.ep_us;
  return std::min(us, step.total_us());
}

class StepSpeeds final : public SpeedModel {
 public:
  StepSpeeds(std::unique_ptr<SpeedModel> speeds, std::shared_ptr<JobSteps> steps)
      : speeds_(std::move(speeds)), steps_(std::move(steps)) {}
  Speed with(JobId j, std::uint32_t gpus) const override { return speeds_->with(j, gpus); }
  Speed on(JobId j, std::span<const Slice> where) const override {
    const JobSteps::HerePtr here = steps_->here(j, where);
    const Speed lying_well = speeds_->on(j, where);
    return here ? times(lying_well, 1 / here->units()) : lying_well;
  }
  Speed in_pool(JobId j, std::uint32_t gpus, std::size_t pool) const override {
    return times(speeds_->in_pool(j, gpus, pool), 1 / steps_->pool_units(j, gpus, pool));
  }

 private:
  static Speed times(Speed speed, double factor) {
    if (speed.num == 0 || factor == 1) return speed;
    return {static_cast<std::uint32_t>(std::clamp(std::floor(speed.num * factor + 0.5), 1.0, 4e9)),
            speed.den};
  }

  std::unique_ptr<SpeedModel> speeds_;  // in millionths
  std::shared_ptr<JobSteps> steps_;
};

}  // namespace

std::vector<Slice> tightest(const Fleet& fleet, PoolMask pools, std::uint32_t per_node,
                            std::uint32_t gpus) {
  std::vector<Slice> best, found;
  for (std::size_t pool = 0; pool < fleet.pools.size(); ++pool) {
    if (!(pools >> pool & 1) || fleet.pools[pool].mig) continue;
    const std::uint32_t width = per_node > 0 ? per_node : fleet.pools[pool].widest;
    const std::uint32_t fewest = (gpus + width - 1) / width;
    for (const Level level : {Level::nvlink, Level::leaf, Level::pod, Level::fabric}) {
      for (const NodeRange& range : fleet.domains[at(level)]) {
        if (range.size() < fewest || take_nodes(fleet, range, pool, per_node, gpus, found) > 0)
          continue;
        if (best.empty() || found.size() < best.size()) best.swap(found);
        if (best.size() == fewest) return best;
      }
      if (!best.empty()) return best;
    }
  }
  return best;
}

JobSteps::JobSteps(const Workload& w, const Fleet& fleet,
                   std::shared_ptr<const Trainings> trainings)
    : w_(w),
      fleet_(fleet),
      trainings_(std::move(trainings)),
      map_(fleet, trainings_->calibration),
      demands_(resolve_all(w, fleet, {})) {
  for (std::uint32_t n = 0; n < w.names.size(); ++n)
    if (const auto known = trainings_->by_model.find(w.names[NameId{n}]);
        known != trainings_->by_model.end())
      training_of_[NameId{n}] = &known->second;
}

const Training* JobSteps::training(NameId model) const {
  const auto found = training_of_.find(model);
  return found == training_of_.end() ? nullptr : found->second;
}

JobSteps::HerePtr JobSteps::here(JobId job, std::span<const Slice> where) {
  return here(Workload::at_or(w_.model, job, NameId{}), demands_[w_.shape[job]], where);
}

JobSteps::HerePtr JobSteps::here(NameId model, const Demand& d, std::span<const Slice> where) {
  const Training* trained = training(model);
  if (!trained || d.milli < 1000 || d.mig != 0 || where.empty()) return nullptr;
  Place key{model.value, d.pools, d.per_node};
  for (const Slice& s : where) {
    key.push_back(std::uint64_t{s.first.value} << 32 | s.count);
    key.push_back(s.gpus);
  }
  if (const auto kept = places_.find(key); kept != places_.end()) return kept->second;
  if (places_.size() >= kMostPlaces) places_.clear();
  return places_[std::move(key)] = reckon(model, *trained, d, where);
}

JobSteps::HerePtr JobSteps::reckon(NameId model, const Training& training, const Demand& d,
                                   std::span<const Slice> where) {
  const std::uint32_t gpus = gpus_in(where);
  const auto plan = training.plan(gpus);
  if (!plan || !known(where)) return nullptr;
  auto here = std::make_shared<Here>();
  here->training = &training;
  here->plan = *plan;
  here->placed = place(map_, where, *plan, *trainings_->mapping);
  if (here->placed.job.domains > 1 && here->placed.job.rails_rate <= 0) return nullptr;
  here->step =
      step_time(trainings_->calibration, here->placed, training.model, *plan, trainings_->ablation);
  here->us = here->step.total_us();
  here->reference_us = reference_us(model, training, d, gpus);
  if (here->reference_us <= 0) return nullptr;
  here->on_wires = wires_us(here->placed, here->step) / here->us;
  return here;
}

/// Their types are known, and one network connects them.
bool JobSteps::known(std::span<const Slice> where) const {
  const auto& fabrics = fleet_.domain_of[at(Level::fabric)];
  for (const Slice& s : where)
    for (std::uint32_t n = s.first.value; n < s.first.value + s.count; ++n)
      if (!map_.gpu(fleet_.nodes[NodeId{n}].pool) ||
          fabrics[NodeId{n}] != fabrics[where.front().first])
        return false;
  return true;
}

double JobSteps::reference_us(NameId model, const Training& training, const Demand& d,
                              std::uint32_t gpus) {
  const auto [at, fresh] = references_.try_emplace({model, d.pools, d.per_node, gpus}, 0);
  if (fresh)
    if (const auto plan = training.plan(gpus))
      at->second = tightest_us(training, *plan, d.pools, d.per_node, gpus);
  return at->second;
}

double JobSteps::tightest_us(const Training& training, const ParallelPlan& plan, PoolMask pools,
                             std::uint32_t per_node, std::uint32_t gpus) const {
  const std::vector<Slice> where = tightest(fleet_, pools, per_node, gpus);
  if (where.empty() || !known(where)) return 0;
  const PlacedPlan placed = place(map_, where, plan, *trainings_->mapping);
  if (placed.job.domains > 1 && placed.job.rails_rate <= 0) return 0;
  return step_time(trainings_->calibration, placed, training.model, plan, trainings_->ablation)
      .total_us();
}

double JobSteps::us_at(const Here& here, double share) const {
  PlacedPlan placed = here.placed;
  for (std::vector<GpuGroup>* groups :
       {&placed.tp, &placed.cp, &placed.dp, &placed.pp, &placed.ep, &placed.expert_dp})
    for (GpuGroup& group : *groups) {
      if (group.domains == 1) continue;
      group.nic_rate *= share;
      group.rails_rate *= share;
    }
  return step_time(trainings_->calibration, placed, here.training->model, here.plan,
                   trainings_->ablation)
      .total_us();
}

std::vector<CostTerm> JobSteps::terms(const Here& here) const {
  return muster::terms(trainings_->calibration, here.placed, here.training->model, here.plan,
                       here.step);
}

double JobSteps::pool_units(JobId job, std::uint32_t gpus, std::size_t pool) {
  const NameId model = Workload::at_or(w_.model, job, NameId{});
  const Training* trained = training(model);
  const Demand& d = demands_[w_.shape[job]];
  if (!trained || gpus == 0 || d.milli < 1000 || d.mig != 0) return 1;
  Demand there = d;
  there.pools = PoolMask{1} << pool;
  const double reference = reference_us(model, *trained, d, gpus);
  const double here = reference_us(model, *trained, there, gpus);
  return reference > 0 && here > 0 ? here / reference : 1;
}

std::string JobSteps::unknown_text() const {
  std::size_t listed = 0, unknown = 0;
  std::map<Size, bool> fits;
  for (std::uint32_t j = 0; j < w_.size(); ++j) {
    const NameId model = Workload::at_or(w_.model, JobId{j}, NameId{});
    const Training* trained = training(model);
    if (!trained) continue;
    ++listed;
    const Demand& d = demands_[w_.shape[JobId{j}]];
    const auto [at, fresh] =
        fits.try_emplace({model, d.pools, d.per_node, d.milli < 1000 ? 0 : d.gpus}, false);
    if (fresh && d.milli >= 1000 && d.mig == 0)
      if (const auto plan = trained->plan(d.gpus))
        at->second = tightest_us(*trained, *plan, d.pools, d.per_node, d.gpus) > 0;
    unknown += at->second ? 0 : 1;
  }
  if (unknown == 0) return {};
  return "steps_unknown: of " + std::to_string(listed) + " jobs whose model /cost/steps lists " +
         std::to_string(unknown) +
         " have GPUs that their plan is not for, or of a type that the calibration does not know: "
         "what a step takes is not known of them, and they run as the trace says wherever they "
         "are; give their model a plan without sizes that their GPUs are no multiple of (tp, pp, "
         "cp, ep), name the fleet's gpu_type as the calibration does, or take them out of "
         "/cost/steps";
}

std::unique_ptr<SpeedModel> step_speeds(std::unique_ptr<SpeedModel> speeds,
                                        std::shared_ptr<JobSteps> steps) {
  return std::make_unique<StepSpeeds>(std::move(speeds), std::move(steps));
}

}  // namespace muster
