#include "io/config/policy_part.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "io/config/parts.hpp"
#include "io/config/read_params.hpp"
#include "muster/core/error.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
using namespace std::string_view_literals;
namespace {

/// What a policy says of a combination of values that it refuses: "/policy/depth: goes with ...".
struct Refusal {
  std::string pointer, what;
};

std::optional<Refusal> refusal_in(const InputError& error) {
  const std::string text = error.what();
  const std::size_t end = text.find(": ");
  if (!text.starts_with("/policy") || end == std::string::npos) return {};
  return Refusal{text.substr(0, end), text.substr(end + 2)};
}

/// The parameters that were set on top of a preset, or of a file, that says the others.
std::vector<std::string> set_on_top(const Document& experiment, const Json& params) {
  constexpr std::string_view kFamily = "/family";
  std::string base = experiment.where("/policy/family");
  if (base.ends_with(kFamily)) base.resize(base.size() - kFamily.size());
  std::vector<std::string> names;
  for (const auto& [key, value] : params.items())
    if (experiment.where("/policy/" + pointer_token(key)) != base + "/" + pointer_token(key))
      names.push_back(key);
  return names;
}

/// The fewest of them without which the policy would be accepted: one, else all; none if that doesn't help.
std::vector<std::string> to_blame(const std::vector<std::string>& on_top, const Json& params,
                                  const std::function<bool(const Json&)>& accepted) {
  for (const std::string& name : on_top) {
    Json without = params;
    without.erase(name);
    if (accepted(without)) return {name};
  }
  Json without = params;
  for (const std::string& name : on_top) without.erase(name);
  return accepted(without) ? on_top : std::vector<std::string>{};
}

/// A policy that refuses a combination of values names one of them by its pointer. The user wants to know where it
/// stands; and if it stands in a preset, which of the values that were put on top of that does not go with it.
[[noreturn]] void place(const InputError& error, const Document& experiment, const Json& params,
                        const std::function<bool(const Json&)>& accepted) {
  const std::optional<Refusal> said = refusal_in(error);
  if (!said) throw error;
  const std::string where = experiment.where(said->pointer);
  const std::vector<std::string> on_top = set_on_top(experiment, params);
  const std::string name =
      said->pointer.substr(std::min(said->pointer.size(), "/policy/"sv.size()));
  if (std::find(on_top.begin(), on_top.end(), name.substr(0, name.find('/'))) == on_top.end()) {
    const auto listed = [](const std::vector<std::string>& all, const auto& text) {
      std::vector<std::string> texts;
      for (const std::string& one : all) texts.push_back(text(one));
      return fmt::format("{}", fmt::join(texts, ", "));
    };
    const auto place_of = [&](const std::string& one) {
      return experiment.where("/policy/" + pointer_token(one));
    };
    const auto value_of = [&](const std::string& one) { return one + "=" + shown(params.at(one)); };
    const std::vector<std::string> blamed = to_blame(on_top, params, accepted);
    if (!blamed.empty())
      throw InputError("", listed(blamed, place_of) + ": " + listed(blamed, value_of) +
                               " does not go with what " + where + " says: " + name + " " +
                               said->what);
    // What was put there is in the place of what the file says, which is no longer known.
    if (!on_top.empty())
      throw InputError("", where + ": " + said->what + "\n    on top of it stands " +
                               listed(on_top, value_of) + " (" + listed(on_top, place_of) + ")");
  }
  throw InputError("", where + ": " + said->what);
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
  const ParamSource source{
      "policy \"" + family->first + "\"", [&](std::string_view name) {
        return experiment.where("/policy" + (name.empty() ? "" : "/" + std::string{name}));
      }};
  const auto accepted = [&](const Json& others) {
    try {
      read_params_object(
          others, [&](ParamVisitor& visit) { family->second.make(visit); }, source);
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  const auto make = [&](ParamVisitor& visit) {
    try {
      made.policy = family->second.make(visit);
    } catch (const InputError& error) {
      place(error, experiment, params, accepted);
    }
  };
  const Json all = read_params_object(params, make, source);
  for (const auto& [key, value] : params.items())
    if (!value.is_null()) made.given.push_back(key);
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
