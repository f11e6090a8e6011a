// What may stand where a policy is named: a file, a preset, a family with parameters.

#include <algorithm>

#include "io/config/parts.hpp"
#include "io/config/text_file.hpp"
#include "muster/core/error.hpp"
#include "muster/io/shipped.hpp"
#include "muster/io/text/assignments.hpp"
#include "muster/policy/registry.hpp"

namespace muster {
namespace fs = std::filesystem;
namespace {

constexpr int kLongestChain = 8;  // presets that build on presets

struct Named {
  Json policy;
  Origins::Place from;
};

/// "NAME:PARAMETER=VALUE,...", where `what` NAME is: a "family", or a "preset" to build on.
Json from_shorthand(const std::string& text, const char* what, const std::string& where) {
  const std::size_t colon = text.find(':');
  Json policy{{what, text.substr(0, colon)}, {"name", text}};
  if (colon == std::string::npos) return policy;
  for (const std::string& one : assignments(std::string_view{text}.substr(colon + 1))) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(where, "expected PARAMETER=VALUE, got \"" + one + "\"",
                       "a policy with parameters looks like batch:backfill=easy,depth=50");
    const std::string key = one.substr(0, equals);
    const auto& keys = policy_keys();
    if (key == "name") policy.erase(key);
    const bool reserved = key != "name" && std::find(keys.begin(), keys.end(), key) != keys.end();
    if (policy.contains(key) || reserved)
      throw InputError(where, "\"" + key + "\" can't be given " + (reserved ? "here" : "twice"));
    policy[key] = json_or_text(one.substr(equals + 1),
                               (where.empty() ? "" : where + ": ") + "/" + pointer_token(key));
  }
  return policy;
}

[[noreturn]] void unknown(const std::string& spec, const std::string& where) {
  const std::string name = spec.substr(0, spec.find(':'));
  std::vector<std::string> names = shipped_names("policies");
  for (const auto& [family, info] : policies()) names.push_back(family);
  std::string advice = did_you_mean(name, names);
  if (advice.starts_with("it takes: ")) advice.replace(0, 9, "there are:");
  throw InputError(where, "there is no policy \"" + name + "\"",
                   advice +
                       "\na policy is a .json file, a preset or a family, alone or with parameters "
                       "(easy:depth=50): `muster policies` lists them");
}

Named resolve(const Document& experiment, std::string_view pointer) {
  const std::string name = experiment.text(pointer);
  const std::string where = experiment.where(pointer);
  const std::string head = name.substr(0, name.find(':'));
  fs::path file;
  if (name.ends_with(".json")) {
    file = experiment.path(pointer);
  } else if (policies().contains(head)) {
    return {from_shorthand(name, "family", where), {where, "", ""}};
  } else if (file = shipped("policies", head); !file.empty() || head.ends_with(".json")) {
    if (head != name)
      return {from_shorthand(name, "preset", where), {where, "", experiment.folder(pointer)}};
  } else {
    unknown(name, where);
  }
  Json policy = parse_json(read_text(file, where), file.string());
  if (!policy.is_object())
    throw InputError(file.string(), "expected an object, got " + shown(policy));
  if (!policy.contains("name")) policy["name"] = file.stem().string();
  return {std::move(policy), {file.string(), "", file.parent_path()}};
}

}  // namespace

const std::vector<std::string>& policy_keys() {
  static const std::vector<std::string> keys{"family", "preset", "name", "about", "$schema"};
  return keys;
}

void open_policy(Document& experiment) {
  for (int links = 0;; ++links) {
    const Json* policy = experiment.find("/policy");
    if (!policy) return;
    if (policy->is_string()) {
      Named named = resolve(experiment, "/policy");
      experiment.open("policy", std::move(named.policy), std::move(named.from));
      continue;
    }
    if (!policy->is_object() || !experiment.find("/policy/preset")) return;
    if (links >= kLongestChain)
      throw InputError(experiment.where("/policy/preset"),
                       "the presets name each other in a circle");

    // What stands beside "preset" goes on top of it, and keeps its origin.
    Named named = resolve(experiment, "/policy/preset");
    const Json beside = *policy;
    std::vector<std::pair<std::string, std::string>> origins;
    for (const auto& [key, value] : beside.items())
      origins.emplace_back(key, experiment.where("/policy/" + pointer_token(key)));
    experiment.open("policy", std::move(named.policy), std::move(named.from));
    for (const auto& [key, where] : origins)
      if (key != "preset" &&
          !(beside.at(key).is_null() && experiment.find("/policy/" + pointer_token(key))))
        experiment.set("/policy/" + pointer_token(key), beside.at(key), {where, "", ""});
  }
}

}  // namespace muster
