// muster cost: asks the cost model on its own.

#include <memory>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/nccl_log.hpp"

namespace muster::cli {
namespace {

struct Asked {
  CostQuestion question;
  bool json = false;
};

/// Flags whose values are handed on as they stand; the desk says what is wrong with them.
void add_value(CLI::App& app, const std::shared_ptr<Asked>& asked, const std::string& name,
               const std::string& word, const std::string& help) {
  app.add_option("--" + name, asked->question.values[name], help)
      ->option_text(word)
      ->each([name](const std::string& value) {
        if (value.empty())
          throw InputError("--" + name, "a value is missing", "leave it out for the default");
      });
}

std::shared_ptr<Asked> add_question(CLI::App& app, const std::string& kind) {
  auto asked = std::make_shared<Asked>();
  asked->question.kind = kind;
  asked->question.where = [](std::string_view name) { return "--" + std::string{name}; };
  add_value(app, asked, "fleet", "FLEET",
            "A fleet's file, a shipped one, or NODESxGPUS:TYPE such as 2x8:h100");
  add_value(app, asked, "placement", "P",
            "GPUs per node joined by +: 4+4, 16x8 (16 nodes of 8), or n0:0,1,4+n1:0");
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

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

int answer_batch(const std::string& file, const std::string& out) {
  if (file.empty())
    throw InputError("muster cost batch", "no questions are given",
                     "for example muster cost batch questions.csv --out answers.csv");
  const CostBatch batch = cost_batch_file(file, out);
  if (out.empty())
    print(batch.csv);
  else
    print(std::to_string(batch.rows - batch.errors.size()) + " of " + std::to_string(batch.rows) +
          " questions answered in " + out + "\n");
  for (const std::string& error : batch.errors) std::fprintf(stderr, "%s\n", error.c_str());
  return batch.errors.empty() ? kDone : kInputWrong;
}

int import_logs(const std::vector<std::string>& logs, const Asked& asked, const std::string& out) {
  if (logs.empty() || out.empty())
    throw InputError(
        "muster cost import", logs.empty() ? "no log is given" : "--out is missing",
        "for example muster cost import all_reduce.log --fleet 2x8:h100 --placement 8+8 "
        "--out ours.json");
  const ImportedCalibration imported = import_nccl_logs(logs, asked.question, out);
  std::string text = std::to_string(imported.rows) + " sizes; mean error " +
                     percent(imported.error_before) + " before, " + percent(imported.error_after) +
                     " with what was fitted:\n";
  for (const std::string& path : imported.fitted) text += "  " + path + "\n";
  print(text + "written to " + out + "\n");
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
  CLI::App* step = app.add_subcommand(
      "step", "The time of one training step: seconds, FLOP/s per GPU, MFU, its terms");
  const auto two = add_question(*step, "step");
  add_value(*step, two, "model", "MODEL", "A model's file, or one of configs/models");
  add_value(*step, two, "plan", "PLAN",
            "tp=8,pp=4,dp=32,micro_batch=1,global_batch=512,...: docs/cost.md lists the words");
  add_value(*step, two, "mapping", "M",
            "Which rank sits where: tp_innermost (default), pp_innermost, dp_innermost");
  add_value(*step, two, "without", "TERM", "Leave a term out: overlap");
  CLI::App* batch = app.add_subcommand(
      "batch",
      "Answers to a CSV of questions: kind, fleet, placement, op, bytes, model, plan, ...");
  const auto file = std::make_shared<std::string>(), out = std::make_shared<std::string>();
  batch->add_option("questions", *file, "The CSV; its columns are named as the flags")
      ->option_text("QUESTIONS.csv");
  batch->add_option("--out", *out, "Where the answers go instead of the terminal")
      ->option_text("ANSWERS.csv");
  batch->allow_extras();
  CLI::App* import = app.add_subcommand(
      "import", "A calibration from logs of nccl-tests (text, or the JSON of -J)");
  const auto three = add_question(*import, "collective");
  add_value(*import, three, "op", "OP", "What the logs timed (all_reduce)");
  const auto logs = std::make_shared<std::vector<std::string>>();
  import->add_option("logs", *logs, "The logs, all of that placement")->option_text("LOG...");
  const auto calibration = std::make_shared<std::string>();
  import->add_option("--out", *calibration, "The calibration to write")
      ->option_text("CALIBRATION.json");
  return [=]() -> int {
    if (import->parsed()) return import_logs(*logs, *three, *calibration);
    if (collective->parsed()) return answer(*one);
    if (step->parsed()) return answer(*two);
    if (batch->parsed()) return answer_batch(*file, *out);
    throw InputError("muster cost", "expected \"collective\", \"step\", \"batch\" or \"import\"",
                     "`muster cost --help` shows what it takes");
  };
}

const AddCommand added{
    65,
    {"cost", "Ask the cost model: the time of a collective or a step on a placement",
     "  muster cost collective --fleet 2x8:h100 --placement 8+8 --bytes 1GiB\n"
     "  muster cost collective --fleet 2x8:h100 --placement 4+4 --op all_gather "
     "--bytes 64MiB --json\n"
     "  muster cost step --fleet 8x8:h100 --placement 8x8 --model llama3-70b "
     "--plan tp=8,pp=4,sequence_parallel=1,global_batch=64\n"
     "  muster cost batch questions.csv --out answers.csv",
     add}};

}  // namespace
}  // namespace muster::cli
