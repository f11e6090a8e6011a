// muster cost: asks the cost model on its own.

#include <memory>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/io/cost.hpp"

namespace muster::cli {
namespace {

struct Asked {
  CostQuestion question;
  bool json = false;
};

/// Flags whose values are handed on as they stand; the desk says what is wrong with them.
void add_value(CLI::App& app, const std::shared_ptr<Asked>& asked, const std::string& name,
               const std::string& word, const std::string& help) {
  app.add_option("--" + name, asked->question.values[name], help)->option_text(word);
}

std::shared_ptr<Asked> add_question(CLI::App& app, const std::string& kind) {
  const auto asked = std::make_shared<Asked>();
  asked->question.kind = kind;
  asked->question.where = [](std::string_view name) { return "--" + std::string{name}; };
  add_value(app, asked, "fleet", "FLEET",
            "A fleet's file, a shipped one, or NODESxGPUS:TYPE such as 2x8:h100");
  add_value(app, asked, "placement", "P",
            "GPUs per node joined by +: 4+4, 8x16 (16 nodes of 8), or n0:0,1,4+n1:0");
  add_value(app, asked, "calibration", "C", "A calibration's file, or a shipped one (published)");
  app.add_flag("--json", asked->json, "JSON instead of a table");
  app.allow_extras();
  return asked;
}

int answer(const Asked& asked) {
  const CostAnswer said = CostDesk{}.answer(asked.question);
  print(asked.json ? cost_json(said) : cost_text(said));
  return kDone;
}

Action add(CLI::App& app) {
  CLI::App* collective =
      app.add_subcommand("collective", "The time of one collective: us, algbw, busbw, its terms");
  const auto one = add_question(*collective, "collective");
  add_value(*collective, one, "op", "OP",
            "all_reduce (default), all_gather, reduce_scatter, all_to_all, broadcast, send_recv");
  add_value(*collective, one, "bytes", "SIZE",
            "8, 4KiB, 512MB, 1GiB, 1e9: as nccl-tests counts them");
  return [=]() -> int {
    if (collective->parsed()) return answer(*one);
    throw InputError("muster cost", "expected \"collective\"",
                     "`muster cost --help` shows what it takes");
  };
}

const AddCommand added{65,
                       {"cost", "Ask the cost model: the time of a collective on a placement",
                        "  muster cost collective --fleet 2x8:h100 --placement 8+8 --bytes 1GiB\n"
                        "  muster cost collective --fleet 2x8:h100 --placement 4+4 --op all_gather "
                        "--bytes 64MiB --json",
                        add}};

}  // namespace
}  // namespace muster::cli
