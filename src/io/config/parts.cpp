#include "io/config/parts.hpp"

#include "io/config/text_file.hpp"
#include "muster/core/error.hpp"
#include "muster/io/plugin.hpp"
#include "muster/io/shipped.hpp"

namespace muster {
namespace fs = std::filesystem;
namespace {

/// Puts the object in `file` in the place of a part.
void open_file(Document& experiment, const std::string& part, const fs::path& file) {
  const std::string text = read_text(file, experiment.where("/" + part));
  Json value = parse_json(text, file.string());
  if (!value.is_object())
    throw InputError(file.string(), "expected an object, got " + shown(value));
  experiment.open(part, std::move(value), {file.string(), "", file.parent_path()});
}

}  // namespace

const std::vector<std::string>& experiment_parts() {
  static const std::vector<std::string> parts{"name",       "about",  "plugins",      "fleet",
                                              "workload",   "policy", "engine",       "cost",
                                              "stragglers", "links",  "reservations", "maintenance",
                                              "failures",   "seed",   "output",       "$schema"};
  return parts;
}

void open_fleet(Document& experiment) {
  const Json* fleet = experiment.find("/fleet");
  if (!fleet || !fleet->is_string()) return;
  const std::string name = fleet->get<std::string>();
  fs::path file = shipped("fleets", name);
  if (name.ends_with(".json")) file = experiment.path("/fleet");
  if (file.empty())
    throw InputError(experiment.where("/fleet"),
                     "\"" + name + "\" has no values inside that could be set",
                     "only a fleet.json has");
  open_file(experiment, "fleet", file);
}

void open_workload(Document& experiment) {
  const Json* workload = experiment.find("/workload");
  if (!workload || !workload->is_string()) return;
  experiment.open("workload", {{"trace", experiment.path("/workload").string()}},
                  {experiment.where("/workload"), "", ""});
}

void open_engine(Document& experiment) {
  const Json* engine = experiment.find("/engine");
  if (engine && engine->is_string()) open_file(experiment, "engine", experiment.path("/engine"));
}

void open_cost(Document& experiment) {
  const Json* cost = experiment.find("/cost");
  if (cost && cost->is_string()) open_file(experiment, "cost", experiment.path("/cost"));
}

std::vector<std::string> load_plugins(const Document& experiment) {
  std::vector<std::string> files;
  const Json* plugins = experiment.find("/plugins");
  if (!plugins) return files;
  if (!plugins->is_array()) experiment.expected("/plugins", "a list of shared libraries");
  for (std::size_t i = 0; i < plugins->size(); ++i) {
    const std::string pointer = "/plugins/" + std::to_string(i);
    files.push_back(experiment.path(pointer).string());
    load_plugin(files.back(), experiment.where(pointer));
  }
  return files;
}

void open_part(Document& experiment, std::string_view name) {
  if (name == "fleet") open_fleet(experiment);
  if (name == "workload") open_workload(experiment);
  if (name == "policy") open_policy(experiment);
  if (name == "engine") open_engine(experiment);
  if (name == "cost") open_cost(experiment);
}

}  // namespace muster
