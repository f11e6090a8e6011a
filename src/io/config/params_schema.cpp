#include <cmath>
#include <limits>

#include "io/config/dump_params.hpp"
#include "io/config/params_schema.hpp"
#include "muster/core/error.hpp"
#include "muster/io/params_json.hpp"

namespace muster {
namespace {

/// Writes one schema per parameter.
class SchemaWriter final : public ParamVisitor {
 public:
  void visit(std::string_view name, bool& value, std::string_view help) override {
    defaults_.visit(name, value, help);
    add(name, {{"type", "boolean"}}, help);
  }
  void visit(std::string_view name, std::int64_t& value, std::int64_t least, std::int64_t most,
             std::string_view help) override {
    using Limits = std::numeric_limits<std::int64_t>;
    defaults_.visit(name, value, least, most, help);
    Json schema{{"type", "integer"}};
    if (least != Limits::min()) schema["minimum"] = least;
    if (most != Limits::max()) schema["maximum"] = most;
    add(name, std::move(schema), help);
  }
  void visit(std::string_view name, double& value, double least, double most,
             std::string_view help) override {
    constexpr double kMost = std::numeric_limits<double>::max();
    defaults_.visit(name, value, least, most, help);
    Json schema{{"type", "number"}};
    if (least > -kMost) schema["minimum"] = least;
    if (most < kMost) schema["maximum"] = most;
    add(name, std::move(schema), help);
  }
  void visit(std::string_view name, Duration& value, std::string_view help) override {
    defaults_.visit(name, value, help);
    add(name, time_schema(), help);
  }
  void visit(std::string_view name, std::string& value, std::string_view help) override {
    defaults_.visit(name, value, help);
    add(name, {{"type", "string"}}, help);
  }
  void visit(std::string_view name, int& value, std::span<const std::string_view> choices,
             std::string_view help) override {
    defaults_.visit(name, value, choices, help);
    Json schema = Json::object();
    for (const std::string_view choice : choices) schema["enum"].push_back(choice);
    add(name, std::move(schema), help);
  }
  void visit(std::string_view name, std::map<std::string, std::int64_t>& value,
             std::string_view help) override {
    defaults_.visit(name, value, help);
    add(name, {{"type", "object"}, {"additionalProperties", {{"type", "integer"}, {"minimum", 0}}}},
        help);
  }
  void visit(std::string_view name, std::map<std::string, std::string>& value,
             std::string_view help) override {
    defaults_.visit(name, value, help);
    add(name, {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}, help);
  }

  Json properties = Json::object();

 private:
  static Json time_schema() {
    return {
        {"anyOf",
         {{{"type", "number"}, {"minimum", 0}},
          {{"type", "string"}, {"pattern", "^(unlimited|[0-9.]+|([0-9.]+(ns|us|ms|s|min|h|d))+)$"}},
          {{"type", "null"}}}}};
  }

  void add(std::string_view name, Json schema, std::string_view help) {
    const std::string key{name};
    schema["default"] = defaults_.object.at(key);
    schema["description"] = help;
    properties[key] = std::move(schema);
  }

  ParamDump defaults_;
};

}  // namespace

Json params_schema_object(const ParamWalk& walk) {
  SchemaWriter writer;
  try {
    walk(writer);
  } catch (const InputError&) {
    // As in list_params().
  }
  return {{"type", "object"},
          {"properties", std::move(writer.properties)},
          {"additionalProperties", false}};
}

std::string params_schema(const ParamWalk& walk) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
  schema.update(params_schema_object(walk));
  return schema.dump(2);
}

}  // namespace muster
