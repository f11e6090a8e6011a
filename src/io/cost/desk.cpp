#include "io/cost/desk.hpp"

#include <algorithm>

#include "io/results/json_text.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/collective.hpp"
#include "muster/cost/rounding.hpp"
#include "muster/io/calibration.hpp"
#include "muster/io/experiment.hpp"
#include "muster/io/model.hpp"

namespace muster {
namespace {

template <class T, class Make>
const T& kept(std::map<std::string, std::shared_ptr<const T>>& all, const std::string& key,
              Make&& make) {
  std::shared_ptr<const T>& found = all[key];
  if (!found) found = std::make_shared<const T>(make());
  return *found;
}

std::string needed(const CostQuestion& question, std::string_view name, const std::string& advice) {
  std::string value = question.value(name);
  if (value.empty()) throw InputError(question.where(name), "is missing: " + advice);
  return value;
}

void need_one_fabric(const CostMap& map, std::span<const Slice> slices, const std::string& where) {
  const Fleet& fleet = map.fleet();
  const auto& fabrics = fleet.domain_of[static_cast<std::size_t>(Level::fabric)];
  const NodeId first = slices.front().first;
  const NodeId last{slices.back().first.value + slices.back().count - 1};
  if (fabrics[first] != fabrics[last])
    throw InputError(where,
                     "nodes " + fleet.node_name(first) + " and " + fleet.node_name(last) +
                         " are on separate fabrics: nothing connects them",
                     "`muster fleet show` lists the fabrics");
}

void need_known_gpus(const CostMap& map, std::span<const Slice> slices, const std::string& where) {
  for (const Slice& slice : slices)
    for (std::uint32_t k = 0; k < slice.count; ++k) {
      const std::uint32_t pool = map.fleet().nodes[NodeId{slice.first.value + k}].pool;
      if (map.gpu(pool)) continue;
      const std::string& type = map.fleet().pools[pool].gpu_type;
      std::vector<std::string> names;
      for (const GpuSpec& gpu : map.calibration().gpus) {
        names.push_back(gpu.name);
        names.insert(names.end(), gpu.aliases.begin(), gpu.aliases.end());
      }
      if (type.empty())
        throw InputError(where, "the fleet doesn't say which GPUs it has",
                         "write the type behind it, for example 2x8:h100");
      throw InputError(
          where, "calibration \"" + map.calibration().name + "\" knows no GPU \"" + type + "\"",
          did_you_mean(type, names));
    }
}

}  // namespace

std::string CostQuestion::value(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::string{} : found->second;
}

const CostMap& CostDesk::Inside::map(const CostQuestion& question) {
  const std::string fleet_name =
      needed(question, "fleet", "a file, a shipped fleet, or NODESxGPUS:TYPE such as 2x8:h100");
  std::string calibration_name = question.value("calibration");
  if (calibration_name.empty()) calibration_name = kDefaultCalibration;
  const Fleet& fleet =
      kept(fleets, fleet_name, [&] { return load_fleet_or_experiments(fleet_name); });
  const Calibration& calibration = kept(calibrations, calibration_name, [&] {
    return load_calibration(calibration_name, question.where("calibration"));
  });
  std::shared_ptr<const CostMap>& map = maps[{fleet_name, calibration_name}];
  if (!map) map = std::make_shared<const CostMap>(fleet, calibration);
  return *map;
}

const ModelSpec& CostDesk::Inside::model(const CostQuestion& question) {
  const std::string name = needed(question, "model", "a file, or one that is shipped");
  return kept(models, name, [&] { return load_model(name, question.where("model")); });
}

std::vector<Slice> CostDesk::Inside::placement(const CostMap& map, const CostQuestion& question) {
  const std::string where = question.where("placement");
  const std::vector<Slice> slices = parse_placement(
      map.fleet(), needed(question, "placement", "GPUs per node, such as 8, 4+4 or 16x8"), where);
  need_known_gpus(map, slices, question.where("fleet"));
  need_one_fabric(map, slices, where);
  if (const GpuGroup group = map.group(slices); group.domains > 1 && group.rails_rate <= 0)
    throw InputError(where, "spans nodes, but a node of it has no NIC",
                     "\"nics\" in the wiring of the fleet says how many there are");
  return slices;
}

void know_values(const CostQuestion& question, const std::vector<std::string>& known) {
  for (const auto& [name, value] : question.values)
    if (!value.empty() && std::find(known.begin(), known.end(), name) == known.end())
      throw InputError(question.where(name),
                       "means nothing to a question of kind \"" + question.kind + "\"",
                       did_you_mean(name, known));
}

CostDesk::CostDesk() : inside_(std::make_unique<Inside>()) {}
CostDesk::~CostDesk() = default;

CostAnswer CostDesk::answer(const CostQuestion& question) {
  if (question.kind == "collective") return answer_collective(*inside_, question);
  if (question.kind == "step") return answer_step(*inside_, question);
  throw InputError(question.where("kind"),
                   "expected collective or step, got \"" + question.kind + "\"");
}

}  // namespace muster
