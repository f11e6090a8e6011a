#include "io/config/json_text.hpp"
#include "io/config/params_schema.hpp"
#include "io/generate/spec_params.hpp"
#include "muster/io/generate.hpp"

namespace muster {
namespace {

Json list_of(Json item) { return {{"type", "array"}, {"minItems", 1}, {"items", std::move(item)}}; }

}  // namespace

std::string synthetic_spec_schema() {
  SyntheticSpec spec;
  SpecTop top{spec, {}, 1, {}};
  SpecSize size;
  SpecLaw law;
  SpecPriority priority;

  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "A synthetic trace, for muster generate"}};
  schema.update(params_schema_object([&](ParamVisitor& visit) { top.walk(visit); }));
  Json& properties = schema["properties"];
  properties["$schema"] = {{"type", "string"}};
  properties["arrivals"] =
      params_schema_object([&](ParamVisitor& visit) { walk(spec.arrivals, visit); });
  properties["durations"] = {
      {"type", "object"},
      {"minProperties", 1},
      {"additionalProperties",
       list_of(params_schema_object([&](ParamVisitor& visit) { law.walk(visit); }))},
      {"description", "named mixtures of laws"}};
  properties["sizes"] =
      list_of(params_schema_object([&](ParamVisitor& visit) { size.walk(visit); }));
  Json estimates = params_schema_object([&](ParamVisitor& visit) { walk(spec.estimates, visit); });
  estimates["properties"]["given"]["default"] = 1.0;
  estimates["properties"]["round"] =
      list_of({{"anyOf", {{{"type", "number"}}, {{"type", "string"}}}}});
  estimates["properties"]["round"]["description"] =
      "ascending times to which estimates are rounded up; beyond the last, multiples of it";
  properties["estimates"] = std::move(estimates);
  properties["attempts"] =
      params_schema_object([&](ParamVisitor& visit) { walk(spec.attempts, visit); });
  properties["users"] = params_schema_object([&](ParamVisitor& visit) { walk_users(spec, visit); });
  properties["priorities"] =
      list_of(params_schema_object([&](ParamVisitor& visit) { priority.walk(visit); }));
  schema["required"] = {"sizes", "durations"};
  return schema.dump(2);
}

}  // namespace muster
