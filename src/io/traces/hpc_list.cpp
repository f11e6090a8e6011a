// hpc-list: batch jobs reduced to six columns, for comparing schedulers.

#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kHeader = "job,submit,procs,estimate,runtime,user";

int recognise(const TraceHead& head) { return head.first_line() == kHeader ? kCertain : 0; }

void read(TraceInput& in) {
  const auto unit = parse_unit(in.option("unit"));
  if (!unit)
    throw InputError("--reader-option unit",
                     "expected ns, us, ms, s, min, h or d, got " + in_quotes(in.option("unit")));
  TraceTable table(in.lines);
  table.read_header();
  const auto job = table.column("job"), submit = table.column("submit"),
             procs = table.column("procs"), estimate = table.column("estimate"),
             runtime = table.column("runtime"), user = table.column("user");
  in.keep_clock();
  in.rows(table, [&](JobRow& row) {
    row.job = table[job].text;
    row.submit = time_in(table[submit], *unit);
    row.shape.gpus = gpu_count(table[procs]);
    if (row.shape.gpus == 0) bad_cell(table[procs], "1 processor or more", "no_processors");
    row.duration = time_in(table[runtime], *unit);
    row.estimate = time_in_or(table[estimate], kUnknown, *unit);
    row.user = table[user].text;
    if (row.estimate == kUnknown)
      in.warn(row, "estimate_missing", "no estimate: the policy's default_estimate is used");
  });
}

const RegisterTraceFormat registered{
    "hpc-list",
    {.description =
         "Batch jobs in six columns (job,submit,procs,estimate,runtime,user), as schedulers are "
         "compared on. Processors are replayed as GPUs. Times keep the zero of the file.",
     .options = {{"unit", "the unit of all times: ns, us, ms, s, min, h, d", "s"}},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
