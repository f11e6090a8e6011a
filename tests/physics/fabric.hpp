#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "muster/cost/training.hpp"
#include "muster/io/calibration.hpp"
#include "muster/io/model.hpp"
#include "muster/metrics/books.hpp"
#include "support/jobs.hpp"
#include "support/leaves.hpp"
#include "support/simulation.hpp"

namespace muster::test {

/// Jobs of the model "gpt" of the trace train this.
inline std::shared_ptr<Trainings> trains(const std::string& model, const std::string& plan,
                                         const std::string& calibration = "published") {
  auto all = std::make_shared<Trainings>();
  all->calibration = load_calibration(calibration);
  all->mapping = MappingRegistry::all().at("tp_innermost").make();
  Training& t = all->by_model["gpt"];
  t.model = load_model(model);
  t.plan = [spec = t.model, plan](std::uint32_t gpus) -> std::optional<ParallelPlan> {
    try {
      return parse_plan(plan, spec, gpus, "test");
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
  return all;
}

/// The step of that training on these GPUs, asked of the cost model itself.
inline StepTime step_on(const Fleet& fleet, const Trainings& all, const std::vector<Slice>& where) {
  const Training& t = all.by_model.at("gpt");
  const ParallelPlan plan = *t.plan(gpus_in(where));
  const CostMap map(fleet, all.calibration);
  return step_time(all.calibration, place(map, where, plan, *all.mapping), t.model, plan,
                   all.ablation);
}

/// When jobs ended, in seconds, and GPU-seconds by class.
struct Ran {
  std::vector<double> ends;
  std::vector<std::string> warnings;
  Summary summary;
  double gpu_s(GpuClass c) const {
    return static_cast<double>(summary.gpu_time[static_cast<std::size_t>(c)]) / 1e12;
  }
};

inline Ran ran(const Fleet& fleet, const Workload& w, const EngineOptions& options,
               const std::string& spec = "batch:placer=first") {
  const auto p = policy(spec);
  std::vector<ShapeDemand> demands;
  for (const Demand& d : resolve_all(w, fleet, p->cutting()))
    demands.push_back({d.total_milli(), d.pools});
  Books books(fleet, w, demands);
  Timetable times(w.size());
  Listeners both({&books, &times});
  const RunSummary run = simulate(fleet, w, *p, options, both);
  books.close(run);
  Ran out;
  for (std::uint32_t j = 0; j < w.size(); ++j)
    out.ends.push_back(times.end[JobId{j}] == kNever ? -1 : seconds(times.end[JobId{j}]));
  out.warnings = run.warnings;
  out.summary = books.summary();
  return out;
}

}  // namespace muster::test
