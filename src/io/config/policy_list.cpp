// Policies as lists and schemas, made of the same walk that reads their parameters.

#include "io/config/disturbances_part.hpp"
#include "io/config/outages_part.hpp"
#include "io/config/params_schema.hpp"
#include "io/config/parts.hpp"
#include "io/config/text_file.hpp"
#include "muster/core/error.hpp"
#include "muster/io/experiment.hpp"
#include "muster/io/shipped.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace {

ParamWalk walk_of(const PolicyInfo& info) {
  return [&info](ParamVisitor& visit) { info.make(visit); };
}

Json text_schema(std::string_view about) { return {{"type", "string"}, {"description", about}}; }

/// The schema of an inline policy: one alternative per family.
Json policy_object_schema() {
  Json alternatives = Json::array();
  for (const auto& [name, info] : policies()) {
    Json schema = params_schema_object(walk_of(info));
    Json properties{{"family", {{"const", name}}},
                    {"name", text_schema("what reports call it")},
                    {"about", text_schema("one sentence for lists")},
                    {"$schema", text_schema("for editors")}};
    properties.update(schema["properties"]);
    schema["properties"] = std::move(properties);
    schema["required"] = Json::array({"family"});
    schema["title"] = name;
    schema["description"] = info.summary;
    alternatives.push_back(std::move(schema));
  }
  alternatives.push_back({{"title", "preset"},
                          {"description", "a preset with other values on top"},
                          {"type", "object"},
                          {"properties", {{"preset", text_schema("a preset, or a policy file")}}},
                          {"required", Json::array({"preset"})}});
  return {{"oneOf", std::move(alternatives)}};
}

Json headed(std::string_view title, Json schema) {
  Json all{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  all.update(schema);
  return all;
}

Json object_schema(Json properties) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

Json either(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}

Json workload_schema() {
  const Json values{{"type", "object"}};
  Json inline_schema = object_schema(
      {{"trace", text_schema("a trace's file, relative to this one; - is the standard input")},
       {"format", text_schema("its format, if it is not to be recognised by content")},
       {"options", {{"type", "object"}, {"description", "options of the format's reader"}}},
       {"skip_bad_rows",
        {{"type", "boolean"},
         {"default", false},
         {"description", "leave out rows that can't be read"}}},
       {"time_zone", text_schema("of times without one: Asia/Shanghai, +08:00")},
       {"generate", either(text_schema("a specification's file, or a shipped one"), values)},
       {"seed", {{"type", "integer"}, {"minimum", 0}, {"description", "of a generated trace"}}}});
  inline_schema["oneOf"] = Json::array(
      {Json{{"required", Json::array({"trace"})}}, Json{{"required", Json::array({"generate"})}}});
  return either(text_schema("a trace's file, relative to this one"), std::move(inline_schema));
}

}  // namespace

std::vector<PolicyPreset> policy_presets() {
  std::vector<PolicyPreset> presets;
  for (const std::string& name : shipped_names("policies")) {
    const std::filesystem::path file = shipped("policies", name);
    const Json policy = parse_json(read_text(file, ""), file.string());
    if (!policy.is_object()) throw InputError(file.string(), "expected an object");
    presets.push_back({name, policy.value("family", ""), policy.value("about", "")});
  }
  return presets;
}

std::string policies_json() {
  Json families = Json::object();
  for (const auto& [name, info] : policies()) {
    families[name]["summary"] = info.summary;
    families[name]["parameters"] = params_schema_object(walk_of(info))["properties"];
  }
  Json presets = Json::object();
  for (const PolicyPreset& preset : policy_presets())
    presets[preset.name] = {{"family", preset.family}, {"about", preset.about}};
  return Json{{"families", std::move(families)}, {"presets", std::move(presets)}}.dump(2);
}

std::string policy_schema() { return headed("muster policy", policy_object_schema()).dump(2); }

std::string experiment_schema() {
  const Json engine =
      params_schema_object([](ParamVisitor& visit) { EngineOptions{}.walk(visit); });
  const Json cost = params_schema_object([](ParamVisitor& visit) { CostOptions{}.walk(visit); });
  const Json outages = outages_schemas();
  const Json disturbances = disturbances_schemas();
  Json schema = object_schema(
      {{"name", text_schema("what reports and the folder of the results are called")},
       {"about", text_schema("one sentence")},
       {"plugins",
        {{"type", "array"},
         {"items", {{"type", "string"}}},
         {"description", "shared libraries with policies of one's own, relative to this file"}}},
       {"fleet", either(text_schema("a fleet's file, a shipped fleet, or a shorthand such as 64x8"),
                        {{"type", "object"}})},
       {"workload", workload_schema()},
       {"policy", either(text_schema("a policy's file, a preset, or batch:backfill=easy"),
                         policy_object_schema())},
       {"engine", either(text_schema("a file with the engine's options"), engine)},
       {"cost", either(text_schema("a file with what is said about the cost of placements"), cost)},
       {"stragglers", disturbances["stragglers"]},
       {"links", disturbances["links"]},
       {"reservations", outages["reservations"]},
       {"maintenance", outages["maintenance"]},
       {"failures", outages["failures"]},
       {"seed", {{"type", "integer"}, {"minimum", 0}, {"default", 1}}},
       {"output", object_schema({{"dir", text_schema("the folder for the results")},
                                 {"report", {{"type", "boolean"}, {"default", true}}},
                                 {"events", {{"type", "boolean"}, {"default", false}}},
                                 {"timeline", {{"type", "boolean"}, {"default", false}}},
                                 {"ranks", {{"type", "boolean"}, {"default", false}}}})},
       {"$schema", text_schema("for editors")}});
  return headed("muster experiment", std::move(schema)).dump(2);
}

}  // namespace muster
