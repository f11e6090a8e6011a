// muster generate: a trace made up to a specification, as canonical CSV.

#include <memory>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "muster/core/error.hpp"
#include "muster/io/experiment.hpp"
#include "muster/io/generate.hpp"
#include "muster/io/shipped.hpp"
#include "muster/io/write_trace.hpp"

namespace muster::cli {
namespace {

struct Flags {
  std::string spec, seed, out = "-";
  bool list = false, schema = false;
};

int run(const Flags& flags) {
  if (flags.schema) {
    print(synthetic_spec_schema() + "\n");
    return kDone;
  }
  if (flags.list) {
    for (const std::string& name : shipped_names("generate")) print(name + "\n");
    return kDone;
  }
  if (flags.spec.empty())
    throw InputError("muster generate", "no specification is given",
                     "`muster generate --list` names the shipped ones; docs/generate.md describes "
                     "how to write one");
  ExperimentSpec experiment;
  experiment.set_text("/workload/generate", flags.spec, "muster generate");
  if (!flags.seed.empty()) experiment.set("/workload/seed", flags.seed, "--seed");
  const Trace trace = experiment.workload();
  write_trace(trace.workload, flags.out);
  if (flags.out != "-")
    print("wrote " + std::to_string(trace.workload.size()) + " jobs to " + flags.out + "\n");
  return kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("spec", flags->spec,
                 "A specification's JSON file (docs/generate.md), or one that --list names")
      ->option_text("SPEC");
  app.add_option("--seed", flags->seed,
                 "The seed: another trace of the same kind (default: the specification's)")
      ->option_text("N");
  app.add_option("--out", flags->out,
                 "The file to write, compressed if it ends in .gz or .zst "
                 "(default: the standard output)")
      ->option_text("FILE");
  app.add_flag("--list", flags->list, "List the shipped specifications, and do nothing else");
  app.add_flag("--schema", flags->schema,
               "Print the JSON Schema of a specification, and do nothing else");
  return [flags] { return run(*flags); };
}

const AddCommand added{50,
                       {"generate", "Make up a trace to a specification",
                        "  muster generate --list\n"
                        "  muster generate philly --seed 7 --out jobs.csv.zst\n"
                        "  muster generate my_cluster.json > jobs.csv",
                        add}};

}  // namespace
}  // namespace muster::cli
