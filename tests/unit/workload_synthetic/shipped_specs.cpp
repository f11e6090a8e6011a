#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "muster/io/generate.hpp"

using namespace muster;

namespace {

const std::filesystem::path kConfigs = std::filesystem::path{MUSTER_SOURCE_DIR} / "configs";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The part of JSON Schema that the schema uses: type, properties, items, enum, bounds.
std::string violation(const nlohmann::json& value, const nlohmann::json& schema,
                      const std::string& at) {
  if (schema.contains("properties")) {
    if (!value.is_object()) return at + ": no object";
    for (const auto& [key, item] : value.items()) {
      if (!schema["properties"].contains(key)) return at + "/" + key + ": not in the schema";
      if (auto v = violation(item, schema["properties"][key], at + "/" + key); !v.empty()) return v;
    }
    for (const auto& key : schema.value("required", nlohmann::json::array()))
      if (!value.contains(key.get<std::string>())) return at + ": needs " + key.get<std::string>();
  } else if (schema.contains("additionalProperties") &&
             schema["additionalProperties"].is_object()) {
    for (const auto& [key, item] : value.items())
      if (auto v = violation(item, schema["additionalProperties"], at + "/" + key); !v.empty())
        return v;
  } else if (schema.contains("items")) {
    if (!value.is_array()) return at + ": no list";
    for (std::size_t i = 0; i < value.size(); ++i)
      if (auto v = violation(value[i], schema["items"], at + "/" + std::to_string(i)); !v.empty())
        return v;
  } else if (schema.contains("enum")) {
    const auto& e = schema["enum"];
    if (std::find(e.begin(), e.end(), value) == e.end()) return at + ": not one of the choices";
  } else if (schema.value("type", "") == "integer" && !value.is_number_integer()) {
    return at + ": no integer";
  } else if (schema.value("type", "") == "number" && !value.is_number()) {
    return at + ": no number";
  }
  if (value.is_number() && schema.contains("maximum") && value > schema["maximum"])
    return at + ": too large";
  if (value.is_number() && schema.contains("minimum") && value < schema["minimum"])
    return at + ": too small";
  return "";
}

}  // namespace

TEST_CASE("every shipped specification is read, agrees with the schema and generates") {
  const auto schema = nlohmann::json::parse(synthetic_spec_schema());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kConfigs / "generate")) {
    INFO(entry.path());
    ++files;
    SyntheticSpec spec = read_synthetic_spec(entry.path());
    CHECK(violation(nlohmann::json::parse(text_of(entry.path())), schema, "") == "");
    if (spec.jobs > 0) spec.jobs = 100;
    const Workload w = generate(spec, spec.seed);
    CHECK(w.size() >= 100);
  }
  CHECK(files == 5);
}

TEST_CASE("configs/schema/generate.schema.json is the schema of the code") {
  const std::filesystem::path file = kConfigs / "schema" / "generate.schema.json";
  if (std::getenv("MUSTER_UPDATE") != nullptr)
    std::ofstream(file, std::ios::binary) << synthetic_spec_schema() << "\n";
  CHECK(text_of(file) == synthetic_spec_schema() + "\n");
}
