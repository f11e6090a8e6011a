#include "case_file.hpp"

#include <fstream>

namespace muster::cases {
namespace {

Json& job_named(Json& jobs, const std::string& id) {
  if (jobs.is_array())
    for (Json& job : jobs)
      if (job.value("id", "") == id) return job;
  throw Unsupported("variant of an unknown job " + id);
}

void apply(Variant& v, const std::string& key, const Json& value) {
  const std::size_t dot = key.find('.');
  if (key == "extra_fleet_event") {
    v.fleet["events"].push_back(value);
  } else if (key == "extra_job_first") {
    v.jobs.insert(v.jobs.begin(), value);
  } else if (key == "extra_job_last" || key == "extra_job") {
    v.jobs.push_back(value);
  } else if (key == "worker_threads") {
    v.worker_threads = value.get<std::vector<int>>();
  } else if (dot == std::string::npos) {
    v.policy[key] = value;
  } else if (key.starts_with("fleet.")) {
    v.fleet[key.substr(dot + 1)] = value;
  } else if (key.starts_with("policy.")) {
    v.policy[key.substr(dot + 1)] = value;
  } else {
    job_named(v.jobs, key.substr(0, dot))[key.substr(dot + 1)] = value;
  }
}

}  // namespace

std::vector<Variant> Case::variants() const {
  Json base = policy;
  const Json overrides = base.contains("variants") ? base["variants"] : Json();
  base.erase("variants");
  if (overrides.is_null()) return {{"", fleet, jobs, base, {}}};
  std::vector<Variant> all;
  for (const auto& [name, changes] : overrides.items()) {
    Variant v{name, fleet, jobs, base, {}};
    if (!changes.is_object()) throw Unsupported("variant " + name);
    for (const auto& [key, value] : changes.items()) apply(v, key, value);
    all.push_back(std::move(v));
  }
  return all;
}

Case read_case(const std::filesystem::path& file) {
  const auto wrong = [&](const std::string& what) {
    return std::runtime_error(file.string() + ": " + what);
  };
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) throw wrong("cannot be read");
  Json json;
  try {
    json = Json::parse(in);
  } catch (const Json::exception& e) {
    throw wrong(e.what());
  }
  if (!json.is_object()) throw wrong("is no case: expected a JSON object");
  for (const char* key : {"fleet", "jobs", "policy", "expect"})
    if (!json.contains(key)) throw wrong("is no case: there is no \"" + std::string{key} + "\"");
  for (const char* key : {"fleet", "policy", "expect"})
    if (!json[key].is_object()) throw wrong("\"" + std::string{key} + "\" is no object");
  if (!json["jobs"].is_object() && !json["jobs"].is_array())
    throw wrong("\"jobs\" is neither a list nor a trace");
  const auto shown = [&](const char* key) {
    if (!json.contains(key)) return std::string{};
    return json[key].is_string() ? json[key].get<std::string>() : json[key].dump();
  };
  std::string name = shown("number");
  const std::string slug = shown("slug");
  name += (name.empty() || slug.empty() ? "" : " ") + slug;
  if (name.empty()) name = file.stem().string();
  return {name, json["fleet"], json["jobs"], json["policy"], json["expect"]};
}

}  // namespace muster::cases
