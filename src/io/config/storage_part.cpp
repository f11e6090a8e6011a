#include "io/config/storage_part.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/config/params_schema.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"
#include "muster/engine/failure_laws.hpp"
#include "muster/engine/shared_storage.hpp"
#include "muster/io/model.hpp"
#include "muster/io/shipped.hpp"
#include "muster/topology/wiring.hpp"

namespace muster {
namespace {

/// Of mixed precision with Adam: 2 for the weights and 12 for the optimizer's state. Checkpoints of 8B and 405B
/// parameters in MLPerf Storage's rules have 13.1 of each.
constexpr double kBytesPerParameter = 14;

enum class Writers : std::uint8_t { alone, all, shared };

struct StorageParams {
  double gbytes_per_s = 0, node_gbytes_per_s = 0, gbytes_per_gpu = 0;
  double bytes_per_parameter = kBytesPerParameter;
  Writers writers = Writers::alone;
  bool asynchronous = false;

  void walk(ParamVisitor& visit) {
    static constexpr std::array<std::string_view, 3> kWriters{"alone", "all", "shared"};
    visit.visit("gbytes_per_s", gbytes_per_s, 0, 1e9, "of the shared storage, written or read");
    visit.visit("node_gbytes_per_s", node_gbytes_per_s, 0, 1e9,
                "of one node towards it; 0: as the fleet's wiring says, if it does");
    visit.visit("gbytes_per_gpu", gbytes_per_gpu, 0, 1e6,
                "size of a checkpoint for each GPU of a job, unless its model is known");
    visit.visit(
        "bytes_per_parameter", bytes_per_parameter, 0, 1000,
        "size of a checkpoint of a job whose model is one of configs/models; 0: none is known");
    visit.choice(
        "writers", writers, kWriters,
        "who shares the storage with a job that writes: nobody (alone); everybody, each by its "
        "part of the fleet's GPUs (all); or whoever writes or reads at that moment (shared)");
    visit.visit("asynchronous", asynchronous,
                "jobs go on while a checkpoint is written; it counts once it is");
  }
};

/// Parameters of the models that jobs name, each looked up once.
class Models {
 public:
  explicit Models(const Workload& jobs) : jobs_(jobs), known_(shipped_names("models")) {}
  /// 0: its model is not known.
  double parameters(JobId j) {
    const NameId name = Workload::at_or(jobs_.model, j, NameId{});
    if (name == NameId{}) return 0;
    const auto [at, fresh] = counts_.try_emplace(name, 0);
    const std::string text{jobs_.names[name]};
    if (fresh && std::binary_search(known_.begin(), known_.end(), text))
      at->second = count_parameters(load_model(text)).all();
    return at->second;
  }

 private:
  const Workload& jobs_;
  std::vector<std::string> known_;
  std::map<NameId, double> counts_;
};

std::uint32_t gpus_of(const Fleet& fleet, const Workload& jobs, JobId j) {
  const Shape& s = jobs.shapes[jobs.shape[j]];
  return s.gpus > 0 ? s.gpus : s.nodes * fleet.widest;
}

/// What one node can write, in bytes per second; 0: as much as there is. One number for all nodes, since
/// which ones a job will have is not known beforehand.
double node_rate(const StorageParams& p, const Fleet& fleet, const std::string& where) {
  if (p.node_gbytes_per_s > 0) return p.node_gbytes_per_s * 1e9;
  const double first = fleet.wiring(NodeId{0}).storage_bytes_per_s;
  for (std::uint32_t n = 1; n < fleet.nodes.size(); ++n)
    if (const double other = fleet.wiring(NodeId{n}).storage_bytes_per_s; other != first)
      throw InputError(
          where,
          fmt::format("has to be said where nodes differ: the fleet's storage_gbytes_per_s is {:g} "
                      "of {} and {:g} of {}",
                      first / 1e9, fleet.node_name(NodeId{0}), other / 1e9,
                      fleet.node_name(NodeId{n})),
          "one number for all of them, since a checkpoint's time is fixed before its job is "
          "placed");
  return first;
}

/// What a job gets of the storage, in bytes per second.
double rate_of(const StorageParams& p, double node, const Fleet& fleet, const Workload& jobs,
               JobId j) {
  double rate = p.gbytes_per_s * 1e9;
  if (p.writers == Writers::all)
    rate *= std::min(1.0, static_cast<double>(gpus_of(fleet, jobs, j)) / fleet.gpus);
  if (node > 0) rate = std::min(rate, node * std::max(nodes_of_job(fleet, jobs, j), 1U));
  return rate;
}

Int128 in_parts(double gbytes_per_s) {
  const auto kbytes = static_cast<std::int64_t>(std::llround(gbytes_per_s * 1e6));
  return Int128{std::max(kbytes, std::int64_t{1})} * SharedStorage::kParts;
}

/// What a job gets of the storage if nobody else uses it, as a part of what everybody shares.
SharedStorage::Job shared_job(const StorageParams& p, double node, const Fleet& fleet,
                              const Workload& jobs, JobId j) {
  SharedStorage::Job job;
  job.rate = in_parts(p.gbytes_per_s);
  if (node > 0)
    job.rate =
        std::min(job.rate, in_parts(node / 1e9) * std::max(nodes_of_job(fleet, jobs, j), 1U));
  return job;
}

Duration in_s(double s) {
  return Duration{static_cast<std::int64_t>(
      std::ceil(std::min(s * 1e9, static_cast<double>(kLongest.count()))))};
}

}  // namespace

void read_storage(const Document& experiment, const Json& object, const Fleet& fleet,
                  bool cost_is_said, Workload& jobs, OutagePlan& plan) {
  const auto place = [&](std::string_view name) {
    return experiment.where("/failures/storage" + (name.empty() ? "" : "/" + std::string{name}));
  };
  StorageParams p;
  read_params_object(object, [&](ParamVisitor& visit) { p.walk(visit); }, {"the storage", place});
  if (p.gbytes_per_s <= 0)
    throw InputError(place("gbytes_per_s"), "needs a rate above 0", "for example 2000");
  if (cost_is_said && !p.asynchronous)
    throw InputError(place(""), "says again what a checkpoint costs",
                     "without checkpoint_cost; or with \"asynchronous\": true, where that is what "
                     "a job stops for before it goes on");
  const double node = node_rate(p, fleet, place("node_gbytes_per_s"));
  const auto column = [&](IdVector<JobId, Duration>& c) {
    if (c.empty()) c.assign(jobs.size(), kUnknown);
  };
  column(jobs.checkpoint_cost);
  column(jobs.restart_cost);
  if (p.asynchronous) plan.write_time.assign(jobs.size(), Duration{});
  std::shared_ptr<SharedStorage> shared;
  if (p.writers == Writers::shared) {
    shared = std::make_shared<SharedStorage>();
    shared->rate = in_parts(p.gbytes_per_s);
    shared->background = p.asynchronous;
    shared->jobs.assign(jobs.size(), {});
  }
  Models models{jobs};
  bool of_any_size = jobs.size() == 0;
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    const JobId j{i};
    const double by_model = p.bytes_per_parameter * models.parameters(j);
    const double bytes = by_model > 0 ? by_model : p.gbytes_per_gpu * 1e9 * gpus_of(fleet, jobs, j);
    const Duration time = in_s(bytes / rate_of(p, node, fleet, jobs, j));
    if (time == Duration{}) continue;
    of_any_size = true;
    const bool by_storage = p.asynchronous || jobs.checkpoint_cost[j] == kUnknown;
    if (by_storage) (p.asynchronous ? plan.write_time[j] : jobs.checkpoint_cost[j]) = time;
    jobs.restart_cost[j] = std::max(jobs.restart_cost[j], Duration{}) + time;
    if (!shared) continue;
    shared->jobs[j] = shared_job(p, node, fleet, jobs, j);
    shared->jobs[j].read = time;
    if (by_storage) shared->jobs[j].write = time;
  }
  if (!of_any_size)
    throw InputError(place(""), "is where checkpoints are, and all of them are of 0 bytes",
                     "\"gbytes_per_gpu\": 4, or a trace whose jobs name a model of configs/models");
  plan.storage = std::move(shared);
}

Json storage_schema() {
  return params_schema_object([](ParamVisitor& visit) { StorageParams{}.walk(visit); });
}

}  // namespace muster
