#include "io/config/policy_part.hpp"

#include <algorithm>

#include "io/config/parts.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace {

/// A policy that refuses a combination of values names it by its pointer; the user wants the file.
[[noreturn]] void place(const InputError& error, const Document& experiment) {
  const std::string text = error.what();
  const std::size_t end = text.find(": ");
  if (!text.starts_with("/policy") || end == std::string::npos) throw error;
  throw InputError("", experiment.where(text.substr(0, end)) + text.substr(end));
}

}  // namespace

LoadedPolicy make_policy(Document experiment) {
  open_policy(experiment);
  const Json* policy = experiment.find("/policy");
  if (!policy)
    throw InputError(experiment.where(""), "no policy is given",
                     "--policy POLICY names one; `muster policies` lists them");
  if (!policy->is_object()) experiment.expected("/policy", "a policy (an object, or its name)");

  LoadedPolicy made;
  made.family = experiment.text("/policy/family");
  made.name = experiment.text("/policy/name", made.family);
  made.about = experiment.text("/policy/about");
  experiment.text("/policy/$schema");
  const auto& families = policies();
  const auto family = families.find(made.family);
  if (family == families.end()) {
    std::vector<std::string> names;
    for (const auto& [name, info] : families) names.push_back(name);
    if (made.family.empty())
      throw InputError(experiment.where("/policy"), "\"family\" is missing",
                       did_you_mean("", names));
    throw InputError(experiment.where("/policy/family"),
                     "there is no policy family \"" + made.family + "\"",
                     did_you_mean(made.family, names));
  }

  Json params = Json::object();
  for (const auto& [key, value] : policy->items())
    if (std::find(policy_keys().begin(), policy_keys().end(), key) == policy_keys().end())
      params[key] = value;
  const auto make = [&](ParamVisitor& visit) {
    try {
      made.policy = family->second.make(visit);
    } catch (const InputError& error) {
      place(error, experiment);
    }
  };
  const Json all = read_params_object(
      params, make,
      {"policy \"" + family->first + "\"", [&](std::string_view name) {
         return experiment.where("/policy" + (name.empty() ? "" : "/" + std::string{name}));
       }});
  for (const auto& [key, value] : params.items()) made.given.push_back(key);
  Json text{{"family", made.family}, {"name", made.name}};
  text.update(all);
  made.json = text.dump(2);
  return made;
}

std::string param_text(const LoadedPolicy& policy, const std::string& name) {
  const Json value = parse_json(policy.json, policy.name).at(name);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

QuotaOptions quotas_of(const LoadedPolicy& policy) {
  QuotaOptions quotas;
  const ParamWalk walk = [&](ParamVisitor& visit) { quotas.walk(visit); };
  const Json all = parse_json(policy.json, policy.name);
  Json given = Json::object();
  for (const ParamInfo& param : list_params(walk))
    if (all.contains(param.name)) given[param.name] = all.at(param.name);
  read_params_object(given, walk, {"the quotas", [](std::string_view name) {
                                     return "/policy/" + std::string{name};
                                   }});
  return quotas;
}

LoadedPolicy load_policy(const std::string& spec, const std::string& where) {
  Document document{experiment_parts()};
  document.set("/policy", spec, {where, "", ""});
  return make_policy(document);
}

}  // namespace muster
