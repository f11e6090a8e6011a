// muster fleet: what a fleet looks like to the simulator.

#include <memory>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/shipped.hpp"
#include "muster/topology/describe.hpp"

namespace muster::cli {
namespace {

void list() {
  for (const std::string& name : shipped_names("fleets")) print(name + "\n");
}

Action add(CLI::App& app) {
  const auto spec = std::make_shared<std::string>();
  CLI::App* show =
      app.add_subcommand("show", "A table of one fleet: its pools, and the domains of each level");
  show->add_option("fleet", *spec,
                   "A fleet's file, NODESxGPUS such as 64x8, or one that `muster fleet list` names")
      ->option_text("FLEET");
  show->allow_extras();
  CLI::App* names = app.add_subcommand("list", "The names of the shipped fleets");
  names->allow_extras();
  return [=]() -> int {
    if (names->parsed()) {
      list();
    } else if (!show->parsed()) {
      throw InputError("muster fleet", "expected \"show\" or \"list\"",
                       "`muster fleet --help` shows what it takes");
    } else if (spec->empty()) {
      throw InputError("muster fleet show", "no fleet is given",
                       "for example muster fleet show 64x8");
    } else {
      print(describe(load_fleet(*spec)));
    }
    return kDone;
  };
}

const AddCommand added{60,
                       {"fleet", "Show a fleet, list the shipped ones",
                        "  muster fleet list\n"
                        "  muster fleet show 1024x8:h100/32/8\n"
                        "  muster fleet show configs/fleets/philly.json",
                        add}};

}  // namespace
}  // namespace muster::cli
