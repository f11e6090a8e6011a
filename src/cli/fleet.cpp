// muster fleet: what a fleet looks like to the simulator.

#include <memory>

#include "cli/command.hpp"
#include "cli/picture.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/io/experiment.hpp"
#include "muster/io/shipped.hpp"
#include "muster/topology/describe.hpp"

namespace muster::cli {
namespace {

void list() {
  for (const std::string& name : shipped_names("fleets")) print(name + "\n");
}

struct Flags {
  std::string spec, svg;
  bool as_dot = false;
};

void show(const Flags& flags) {
  if (flags.spec.empty())
    throw InputError("muster fleet show", "no fleet is given",
                     "for example muster fleet show 64x8");
  const Fleet fleet = load_fleet_or_experiments(flags.spec);
  if (!flags.svg.empty()) {
    write_picture({"dot", "-Tsvg"}, dot(fleet), flags.svg, "--svg",
                  "install graphviz, or take the graph itself with --dot");
    return print("wrote " + flags.svg + "\n");
  }
  print(flags.as_dot ? dot(fleet) : describe(fleet));
}

/// What stands out in a fleet that is right.
void check(const Flags& flags) {
  if (flags.spec.empty())
    throw InputError("muster fleet check", "no fleet is given",
                     "for example muster fleet check my/fleet.json");
  const Fleet fleet = load_fleet_or_experiments(flags.spec);
  std::string text = fleet.name + ": a fleet of " + std::to_string(fleet.nodes.size()) +
                     " nodes and " + std::to_string(fleet.gpus) + " GPUs\n";
  for (const std::string& note : remarks(fleet)) text += "  note: " + note + "\n";
  print(text);
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  const auto subcommand = [&](const char* name, const char* about) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->allow_extras();
    return sub;
  };
  const auto fleet = [&](CLI::App* sub) {
    sub->add_option(
           "fleet", flags->spec,
           "A fleet's file or an experiment's, NODESxGPUS such as 64x8, or one that `muster fleet "
           "list` names")
        ->option_text("FLEET");
  };
  CLI::App* shows =
      subcommand("show", "A table of one fleet: its pools, and the domains of each level");
  fleet(shows);
  shows->add_flag("--dot", flags->as_dot, "The graph for graphviz instead");
  shows->add_option("--svg", flags->svg, "A picture of the graph; needs graphviz")
      ->option_text("FILE");
  CLI::App* checks = subcommand("check", "Whether a fleet is right, and what stands out in it");
  fleet(checks);
  CLI::App* names = subcommand("list", "The names of the shipped fleets");
  return [=]() -> int {
    if (names->parsed()) {
      list();
    } else if (checks->parsed()) {
      check(*flags);
    } else if (shows->parsed()) {
      show(*flags);
    } else {
      throw InputError("muster fleet", "expected \"show\", \"check\" or \"list\"",
                       "`muster fleet --help` shows what it takes");
    }
    return kDone;
  };
}

const AddCommand added{60,
                       {"fleet", "Show a fleet, check one, list the shipped ones",
                        "  muster fleet list\n"
                        "  muster fleet show 1024x8:h100/32/8\n"
                        "  muster fleet show configs/fleets/philly.json\n"
                        "  muster fleet show gb200-nvl72 --dot\n"
                        "  muster fleet show configs/experiments/oversubscribed.json\n"
                        "  muster fleet check configs/fleets/philly.json",
                        add}};

}  // namespace
}  // namespace muster::cli
