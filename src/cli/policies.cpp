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

void describe_family(const std::string& family, const PolicyInfo& info) {
  print(family + ": " + info.summary + "\n\n");
  std::size_t widest = 0;
  const auto params = list_params([&](ParamVisitor& visit) { info.make(visit); });
  for (const ParamInfo& param : params) widest = std::max(widest, param.name.size());
  for (const ParamInfo& param : params) {
    const std::string standard = param.value.empty() ? "not set" : param.value;
    const std::size_t line = param.help.find('\n');
    print(fmt::format("  {:{}}  {}\n  {:{}}    {}; default {}\n", param.name, widest,
                      param.help.substr(0, line), "", widest, type_name(param), standard));
    for (std::size_t at = line; at != std::string::npos; at = param.help.find('\n', at + 1)) {
      const std::size_t end = param.help.find('\n', at + 1);
      print(fmt::format("  {:{}}      {}\n", "", widest, param.help.substr(at + 1, end - at - 1)));
    }
  }
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
  } else if (flags.json) {
    print(policies_json() + "\n");
  } else if (flags.name.empty()) {
    list();
  } else if (const auto family = policies().find(flags.name); family != policies().end()) {
    describe_family(family->first, family->second);
  } else {
    const LoadedPolicy policy =
        load_policy(flags.name, "muster policies");  // says what is wrong with the name
    print(policy.json + "\n");
  }
  return kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("name", flags->name,
                 "A family, to list its parameters; or a preset, to show its values")
      ->option_text("NAME");
  add_plugins(app, flags->plugins);
  app.add_flag("--schema", flags->schema,
               "Print the JSON Schema of a policy file, and do nothing else");
  app.add_flag("--json", flags->json, "Print all families and presets as JSON");
  return [flags] { return run(*flags); };
}

const AddCommand added{70,
                       {"policies", "List the policies, describe one",
                        "  muster policies\n"
                        "  muster policies batch\n"
                        "  muster policies easy\n"
                        "  muster policies --schema",
                        add}};

}  // namespace
}  // namespace muster::cli
