// elasticflow: Microsoft's ITP clusters (ElasticFlow, ASPLOS'23).

#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kHeader = "job_id,submission_time,duration,num_gpu";

int recognise(const TraceHead& head) { return head.first_line() == kHeader ? kCertain : 0; }

void read(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  const auto job = table.column("job_id"), submit = table.column("submission_time"),
             duration = table.column("duration"), gpus = table.column("num_gpu");
  in.rows(table, [&](JobRow& row) {
    row.job = table[job].text;
    row.submit = time_in(table[submit]);
    row.duration = time_in(table[duration]);
    row.shape.gpus = gpu_count(table[gpus]);
    if (row.shape.gpus == 0) in.skip_cpu_only(row);
  });
}

const RegisterTraceFormat registered{
    "elasticflow",
    {.description =
         "Deep-learning jobs of Microsoft's ITP clusters, March to May 2021 (ElasticFlow, "
         "ASPLOS'23): job_id,submission_time,duration,num_gpu in whole seconds since the "
         "collection began; the first submit becomes the origin. No users, estimates or recorded "
         "starts.",
     .options = {},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
