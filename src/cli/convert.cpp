// muster convert: any trace that can be read, as canonical CSV.

#include <memory>

#include "cli/command.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/trace_text.hpp"
#include "muster/core/error.hpp"
#include "muster/io/write_trace.hpp"

namespace muster::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::string out = "-";
  std::string throughputs;
};

int run(const Flags& flags) {
  if (flags.experiment.trace.empty())
    throw InputError("muster convert", "no trace is given",
                     "for example muster convert log.swf --out jobs.csv; - is the standard input");
  const Trace trace = flags.experiment.spec().workload();
  // The table may be the standard output: what is said goes elsewhere.
  std::fputs((rows_line(trace.report) + notes_text(trace.report)).c_str(), stderr);
  write_trace(trace.workload, flags.out);
  if (flags.out != "-") std::fputs(("wrote " + flags.out + "\n").c_str(), stderr);
  if (flags.throughputs.empty()) return kDone;
  write_throughputs(trace.workload, flags.throughputs);
  std::fputs(("wrote " + flags.throughputs + "\n").c_str(), stderr);
  return kDone;
}

Action add(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  flags->experiment.trace_flag = "muster convert";
  app.add_option("trace", flags->experiment.trace,
                 "The trace's file, also .gz or .zst; - is the standard input")
      ->option_text("TRACE");
  flags->experiment.add_reading(app);
  app.add_option("--out", flags->out,
                 "The file to write, compressed if it ends in .gz or .zst "
                 "(default: the standard output)")
      ->option_text("FILE");
  app.add_option("--throughputs", flags->throughputs,
                 "The file for the trace's table of throughputs by type of GPU")
      ->option_text("FILE");
  return [flags] { return run(*flags); };
}

const AddCommand added{40,
                       {"convert", "Turn a trace of any known format into canonical CSV",
                        "  muster convert traces/first/first.csv --out first.csv.gz\n"
                        "  muster convert log.swf --format swf --skip-bad-rows > jobs.csv",
                        add}};

}  // namespace
}  // namespace muster::cli
