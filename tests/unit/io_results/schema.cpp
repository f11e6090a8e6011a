// summary.json and configs/schema/summary.schema.json say the same.
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "muster/io/results.hpp"

using namespace muster;
using nlohmann::json;

namespace {

bool is(const json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return type == "null" && value.is_null();
}

/// The parts of JSON Schema that the summary's uses. Returns where and what is wrong, or nothing.
std::string wrong(const json& value, const json& schema, const json& root, const std::string& at) {
  if (schema.contains("$ref")) {
    const auto ref = schema["$ref"].get<std::string>().substr(1);
    return wrong(value, root.at(json::json_pointer{ref}), root, at);
  }
  if (schema.contains("const") && value != schema["const"]) return at + ": not the constant";
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return at + ": not in the list";
  if (schema.contains("type")) {
    const json types = schema["type"].is_array() ? schema["type"] : json{schema["type"]};
    bool fits = false;
    for (const auto& type : types) fits |= is(value, type);
    if (!fits) return at + ": wrong type";
  }
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& key : schema.value("required", json::array()))
      if (!value.contains(key)) return at + ": lacks " + key.get<std::string>();
    for (const auto& [key, item] : value.items()) {
      if (schema["properties"].contains(key)) {
        const std::string found = wrong(item, schema["properties"][key], root, at + "/" + key);
        if (!found.empty()) return found;
      } else {
        return at + ": the schema does not know " + key;
      }
    }
  }
  if (value.is_array() && schema.contains("items"))
    for (const auto& item : value) {
      const std::string found = wrong(item, schema["items"], root, at + "[]");
      if (!found.empty()) return found;
    }
  return "";
}

}  // namespace

TEST_CASE("summary.json keeps to its schema") {
  std::ifstream in{MUSTER_SOURCE_DIR "/configs/schema/summary.schema.json"};
  const json schema = json::parse(in);
  Summary s;
  CHECK(wrong(json::parse(summary_json(s)), schema, schema, "") == "");

  s.fleet = "64x8";
  s.offered_load = 1.25;
  s.by_size.push_back({});
  s.by_user.push_back({});
  s.by_user.back().members = 7;
  s.findings.push_back({Finding::Kind::livelock, kStart, kStart, {"a"}, "text"});
  s.rejections.push_back({"a", "code", "text"});
  s.ettr_expected = 0.9;
  s.traffic = Traffic{3e20, 2.5, 0};
  s.reservations.push_back({"R", false, "not_enough_unreserved", "text"});
  s.warnings.push_back("w");
  s.trace.emplace();
  s.trace->skipped.push_back({"code", "meaning", 1, {2}, {"a"}, {"-1"}});
  s.trace->facts["max_procs"] = "128";
  s.experiment = R"({"seed": 1})";
  const json full = json::parse(summary_json(s));
  CHECK(wrong(full, schema, schema, "") == "");

  // The check itself: a key too many, one too few, a wrong type.
  json broken = full;
  broken["goodputs"] = 1;
  CHECK(wrong(broken, schema, schema, "") == ": the schema does not know goodputs");
  broken = full;
  broken["jobs"].erase("held");
  CHECK(wrong(broken, schema, schema, "") == "/jobs: lacks held");
  broken = full;
  broken["gpu_time_s"]["lost"] = "0";
  CHECK(wrong(broken, schema, schema, "") == "/gpu_time_s/lost: wrong type");
}
