#include "io/config/cost_part.hpp"

#include <algorithm>
#include <set>

#include "io/config/parts.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/training.hpp"
#include "muster/io/calibration.hpp"
#include "muster/io/model.hpp"
#include "muster/io/shipped.hpp"

namespace muster {
namespace {

/// "llama3-70b:tp=8,pp=4": a model, and a plan if there is one.
struct ModelAndPlan {
  explicit ModelAndPlan(const std::string& text)
      : model(text.substr(0, text.find(':'))),
        plan(text.find(':') == std::string::npos ? "" : text.substr(text.find(':') + 1)) {}
  std::string model, plan;
};

/// The numbers of GPUs for which jobs of each model ask, as the trace calls it.
std::map<std::string, std::set<std::uint32_t>, std::less<>> sizes_by_model(const Workload& jobs) {
  std::map<std::string, std::set<std::uint32_t>, std::less<>> sizes;
  for (std::uint32_t j = 0; j < jobs.size(); ++j)
    if (const NameId model = Workload::at_or(jobs.model, JobId{j}, NameId{}); model != NameId{})
      sizes[std::string{jobs.names[model]}].insert(jobs.shapes[jobs.shape[JobId{j}]].gpus);
  return sizes;
}

Training training(const std::string& text, const std::set<std::uint32_t>& sizes,
                  const std::string& where) {
  const ModelAndPlan said(text);
  Training out;
  out.model = load_model(said.model, where);
  out.plan = [model = out.model, plan = said.plan,
              where](std::uint32_t gpus) -> std::optional<ParallelPlan> {
    try {
      return parse_plan(plan, model, gpus, where);
    } catch (const InputError&) {
      return std::nullopt;  // not for as many GPUs
    }
  };
  // A plan that is for none of the jobs is a mistake, and the first of them says which.
  for (const std::uint32_t gpus : sizes)
    if (gpus == 0 || out.plan(gpus)) return out;
  parse_plan(said.plan, out.model, sizes.empty() ? 1 : *sizes.begin(), where);
  return out;
}

void need_no_measured(const Workload& jobs, const std::string& model, const std::string& where) {
  for (const auto& [key, steps] : jobs.throughputs.rows())
    if (jobs.names[key.model] == model)
      throw InputError(where,
                       "the throughput of model \"" + model +
                           "\" is measured in the trace, and would be reckoned with twice",
                       "one of the two");
}

}  // namespace

Json read_cost(Document experiment, CostOptions& options) {
  open_cost(experiment);
  const Json* cost = experiment.find("/cost");
  Json read = read_params_object(
      cost ? *cost : Json::object(), [&](ParamVisitor& visit) { options.walk(visit); },
      {"the cost of placements", [&](std::string_view name) {
         return experiment.where("/cost" + (name.empty() ? "" : "/" + std::string{name}));
       }});
  for (const auto& [model, percent] : options.models)
    if (percent > 99)
      throw InputError(experiment.where("/cost/models"),
                       "a job of model \"" + model + "\" would communicate for " +
                           std::to_string(percent) + " % of its time",
                       "it computes for some of it: 0 to 99");
  if (options.contention && !options.of_use())
    throw InputError(experiment.where("/cost/contention"),
                     "contention is asked for, and no job communicates",
                     "say for what share of their time they do: /cost/communication=0.3");
  return read;
}

void read_trainings(const Document& experiment, Workload& jobs, CostOptions& options) {
  if (!options.models.empty()) split_by_model(jobs);
  if (options.steps.empty() && !options.named) return;
  auto out = std::make_shared<Trainings>();
  const auto sizes = sizes_by_model(jobs);
  for (const auto& [model, text] : options.steps) {
    const std::string where = experiment.where("/cost/steps") + ": " + model;
    const auto asked = sizes.find(model);
    if (asked == sizes.end()) continue;
    need_no_measured(jobs, model, where);
    out->by_model.emplace(model, training(text, asked->second, where));
  }
  const std::vector<std::string> known = shipped_names("models");
  for (const auto& [model, asked] : sizes) {
    if (!options.named || out->by_model.contains(model)) continue;
    if (std::find(known.begin(), known.end(), ModelAndPlan(model).model) == known.end()) continue;
    const std::string where = "model \"" + model + "\" of the trace";
    need_no_measured(jobs, model, where);
    out->by_model.emplace(model, training(model, asked, where));
  }
  if (out->by_model.empty())
    throw InputError(experiment.where(options.steps.empty() ? "/cost/named" : "/cost/steps"),
                     "no job of the trace has a model that is listed",
                     "the column `model` of the trace says what a job trains");
  const std::string calibration = options.calibration.ends_with(".json")
                                      ? experiment.path("/cost/calibration").string()
                                  : options.calibration.empty() ? std::string{kDefaultCalibration}
                                                                : options.calibration;
  out->calibration = load_calibration(calibration, experiment.where("/cost/calibration"));
  out->ablation.overlap = options.overlap;
  out->mapping = MappingRegistry::all().at(options.mapping).make();
  options.trainings = std::move(out);
  split_by_model(jobs);
}

}  // namespace muster
