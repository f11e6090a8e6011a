// gavel: Philly jobs with model types (Gavel, OSDI'20) and the traces of Shockwave (NSDI'23).

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/traces/gavel_throughputs.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kThroughputs = "simulation_throughputs.json";

/// The columns of the three versions; none has a header line.
std::vector<std::string> names_of(std::size_t columns) {
  switch (columns) {
    case 7:
      return {"job type",    "command", "steps flag",  "needs data dir",
              "total steps", "arrival", "scale factor"};
    case 10:
      return {"job type",    "command",      "working directory", "steps flag", "needs data dir",
              "total steps", "scale factor", "priority weight",   "SLO",        "arrival"};
    case 12:
      return {"job type",        "command",     "working directory", "steps flag",
              "needs data dir",  "total steps", "scale factor",      "mode",
              "priority weight", "SLO",         "duration",          "arrival"};
    default:
      return {};
  }
}

std::size_t tabs(std::string_view line) {
  return static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t'));
}

int recognise(const TraceHead& head) {
  CsvLine fields;
  fields.split(head.first_line(), '\t');
  const std::vector<std::string> names = names_of(fields.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == "total steps") return parse_whole(fields[i]) ? kCertain : 0;
  return 0;
}

GavelThroughputs open_throughputs(const TraceInput& in) {
  const std::string worker = in.option("worker");
  if (in.has_option("throughputs")) return {in.open_other(in.option("throughputs")), worker};
  for (const char* packed : {"", ".zst", ".gz"}) {
    std::unique_ptr<ByteSource> file;
    try {
      file = in.open_other(std::string{kThroughputs} + packed);
    } catch (const InputError&) {
      continue;  // not beside the trace in this form
    }
    return {std::move(file), worker};
  }
  throw InputError(
      in.lines.name(),
      "jobs of this trace have steps, no durations: expected " + std::string{kThroughputs} +
          " beside it",
      "--reader-option throughputs=FILE names it (from Gavel's repository, scheduler/)");
}

class GavelJobs {
 public:
  GavelJobs(TraceInput& in, TraceTable& table)
      : in_(in),
        table_(table),
        type_(table.column("job type")),
        steps_(table.column("total steps")),
        arrival_(table.column("arrival")),
        gpus_(table.column("scale factor")),
        weight_(table.find("priority weight")),
        slo_(table.find("SLO")),
        duration_(table.find("duration")) {
    if (!duration_.exists()) throughputs_.emplace(open_throughputs(in));
  }

  void take(JobRow& row) {
    row.submit = time_in(table_[arrival_]);
    row.shape.gpus = gpu_count(table_[gpus_]);
    if (row.shape.gpus == 0) bad_cell(table_[gpus_], "1 GPU or more");
    row.model = table_[type_].text;
    const std::int64_t steps = whole(table_[steps_], 0, 1'000'000'000'000'000);
    row.duration = throughputs_ ? from_steps(row, steps) : time_in(table_[duration_]);
    warn_about(row);
  }

  /// All rows are read.
  void finish() {
    if (throughputs_) throughputs_->hand_over(in_.jobs);
  }

 private:
  Duration from_steps(const JobRow& row, std::int64_t steps) {
    const GavelThroughputs::Rate rate = throughputs_->rate(std::string{row.model}, row.shape.gpus);
    if (!(rate.steps_per_s > 0))
      bad_cell(table_[type_], "a job type that has a throughput", "no_throughput");
    if (rate.gpus != row.shape.gpus)
      in_.warn(row, "throughput_of_fewer_gpus",
               "no throughput for so many GPUs: steps per second as on the next smaller number",
               std::to_string(rate.gpus));
    const double ns = static_cast<double>(steps) / rate.steps_per_s * 1e9;
    if (ns > static_cast<double>(kLongest.count()))
      bad_cell(table_[steps_], "steps for at most 100 years");
    return Duration{std::llround(ns)};
  }

  void warn_about(const JobRow& row) {
    const Cell weight = table_[weight_];
    if (!weight.empty() && parse_real(weight.text) != 1.0)
      in_.warn(row, "weight_ignored", "a fair-share weight other than 1: not replayed",
               weight.text);
    const Cell slo = table_[slo_];
    if (!slo.empty() && parse_real(slo.text).value_or(0) > 0)
      in_.warn(row, "slo_ignored", "an SLO factor: not replayed", slo.text);
  }

  TraceInput& in_;
  TraceTable& table_;
  TraceTable::Column type_, steps_, arrival_, gpus_, weight_, slo_, duration_;
  std::optional<GavelThroughputs> throughputs_;
};

void read(TraceInput& in) {
  const std::string_view first = TraceHead{in.lines.name(), in.lines.ahead()}.first_line();
  const std::vector<std::string> names = names_of(tabs(first) + 1);
  if (names.empty())
    throw InputError(in.lines.name() + ":1", "expected 7, 10 or 12 fields between tabs, got " +
                                                 std::to_string(tabs(first) + 1));
  TraceTable table(in.lines, '\t');
  table.set_header(names);
  GavelJobs jobs(in, table);
  in.rows(table, [&](JobRow& row) { jobs.take(row); });
  jobs.finish();
  in.report.facts["duration"] =
      names.size() == 12 ? "as in the trace" : "steps / throughput on " + in.option("worker");
}

const RegisterTraceFormat registered{
    "gavel",
    {.description =
         "Philly jobs with model types and steps (Gavel, OSDI'20; Shockwave, NSDI'23): tab "
         "separated, no header, 7, 10 or 12 columns. The run time is steps / throughput on one "
         "type "
         "of GPU, from simulation_throughputs.json; with 12 columns it is in the trace. Jobs have "
         "no "
         "ids: they are numbered by row. The job type becomes the model.",
     .options = {{"throughputs", "the file of throughputs", std::string{kThroughputs}},
                 {"worker", "type of GPU whose throughputs turn steps into durations", "v100"}},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
