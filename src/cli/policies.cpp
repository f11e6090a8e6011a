// muster policies: what may stand after --policy.

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/io/experiment.hpp"
#include "muster/io/params_json.hpp"
#include "muster/io/plugin.hpp"
#include "muster/policy/registry.hpp"

namespace muster::cli {
namespace {

struct Flags {
  std::string name;
  std::vector<std::string> plugins;
  bool schema = false, json = false;
};

void print_params(const std::vector<ParamInfo>& params, const char* value_is) {
  std::size_t widest = 0;
  for (const ParamInfo& param : params) widest = std::max(widest, param.name.size());
  for (const ParamInfo& param : params) {
    const std::string value = param.value.empty() ? "not set" : param.value;
    const std::size_t line = param.help.find('\n');
    print(fmt::format("  {:{}}  {}\n  {:{}}    {}; {} {}\n", param.name, widest,
                      param.help.substr(0, line), "", widest, type_name(param), value_is, value));
    for (std::size_t at = line; at != std::string::npos; at = param.help.find('\n', at + 1)) {
      const std::size_t end = param.help.find('\n', at + 1);
      print(fmt::format("  {:{}}      {}\n", "", widest, param.help.substr(at + 1, end - at - 1)));
    }
  }
}

void describe_family(const std::string& family, const PolicyInfo& info) {
  print(family + ": " + info.summary + "\n\n");
  print_params(list_params([&](ParamVisitor& visit) { info.make(visit); }), "default");
}

/// A preset, or whatever else names a policy: its family, and what it sets.
void describe_policy(const std::string& name, const LoadedPolicy& policy) {
  print(policy.name + (policy.about.empty() ? "" : ": " + policy.about) + "\n\n");
  const PolicyInfo& family = policies().at(policy.family);
  print("policy " + policy.family + " (" + std::string{family.summary} + ")");
  if (policy.given.empty()) return print(" as it is\n");
  print(" with\n\n");
  std::vector<ParamInfo> given;
  for (ParamInfo& param : list_params([&](ParamVisitor& visit) { family.make(visit); })) {
    if (std::find(policy.given.begin(), policy.given.end(), param.name) == policy.given.end())
      continue;
    param.value = param_text(policy, param.name);
    given.push_back(std::move(param));
  }
  print_params(given, "here");
  print("\n`muster policies " + policy.family + "` describes all parameters, `muster policies '" +
        name + "' --json` shows all values.\n");
}

void list() {
  print("Families (NAME or NAME:PARAMETER=VALUE,...):\n");
  for (const auto& [name, info] : policies())
    print(fmt::format("  {:18} {}\n", name, info.summary));
  print("\nPresets:\n");
  for (const PolicyPreset& preset : policy_presets())
    print(fmt::format("  {:18} {}\n", preset.name, preset.about));
  print("\n`muster policies NAME` describes one.\n");
}

int run(const Flags& flags) {
  for (const std::string& plugin : flags.plugins) load_plugin(plugin, "--plugin");
  if (flags.schema) {
    print(policy_schema() + "\n");
  } else if (flags.name.empty()) {
    if (flags.json)
      print(policies_json() + "\n");
    else
      list();
  } else if (flags.json) {
    print(load_policy(flags.name, "muster policies").json + "\n");
  } else if (const auto family = policies().find(flags.name); family != policies().end()) {
    describe_family(family->first, family->second);
  } else {
    describe_policy(flags.name, load_policy(flags.name, "muster policies"));
  }
  return kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("name", flags->name,
                 "A family, to list its parameters; or a preset, to see what it sets")
      ->option_text("NAME");
  add_plugins(app, flags->plugins);
  app.add_flag("--schema", flags->schema,
               "Print the JSON Schema of a policy file, and do nothing else");
  app.add_flag("--json", flags->json,
               "Print all families and presets as JSON; with NAME, all values of that policy");
  return [flags] { return run(*flags); };
}

const AddCommand added{70,
                       {"policies", "List the policies, describe one",
                        "  muster policies\n"
                        "  muster policies batch\n"
                        "  muster policies easy\n"
                        "  muster policies srtf:quantum=60s --json\n"
                        "  muster policies --schema",
                        add}};

}  // namespace
}  // namespace muster::cli
