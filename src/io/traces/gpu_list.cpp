// gpu-list: GPU jobs reduced to five columns.

#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kHeader = "job_id,submit_s,num_gpu,duration_s,vc";

int recognise(const TraceHead& head) { return head.first_line() == kHeader ? kCertain : 0; }

void read(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  const auto job = table.column("job_id"), submit = table.column("submit_s"),
             gpus = table.column("num_gpu"), duration = table.column("duration_s"),
             vc = table.column("vc");
  in.keep_clock();
  in.rows(table, [&](JobRow& row) {
    row.job = table[job].text;
    row.submit = time_in(table[submit]);
    row.shape.gpus = gpu_count(table[gpus]);
    row.duration = time_in(table[duration]);
    row.queue = table[vc].text;
    if (row.shape.gpus == 0) in.skip_cpu_only(row);
  });
}

const RegisterTraceFormat registered{
    "gpu-list",
    {.description = "GPU jobs in five columns (job_id,submit_s,num_gpu,duration_s,vc), all times "
                    "in seconds. No estimates. Times keep the zero of the file.",
     .options = {},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
