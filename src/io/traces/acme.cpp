// acme: the LLM development clusters Seren and Kalos of Shanghai AI Lab, 2023.

#include "io/traces/slurm_values.hpp"
#include "io/traces/wall_times.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kSeren =
    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,"
    "queue,gpu_time";
constexpr std::string_view kKalos =
    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,"
    "submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time";
constexpr std::string_view kConverted =
    "job_id,arrival_time,num_iteration,iteration_computing_time,iteration_networking_time,"
    "gpu_workers,ps,gpu_per_worker,cpu_per_gpu_worker,cpu_per_ps_worker,tensorsizes,"
    "profiled_network";

int recognise(const TraceHead& head) {
  const std::string_view line = head.first_line();
  return line == kSeren || line == kKalos || line == kConverted ? kCertain : 0;
}

void warn_if_differs(TraceInput& in, const JobRow& row, Cell duration) {
  const Duration logged = time_in_or(duration, row.duration);
  if (logged == row.duration) return;
  if (logged == row.recorded_end - row.submit)
    in.warn(row, "duration_includes_queue",
            "duration is end - submit, as in all of Kalos: end - start is used", duration.text);
  else
    in.warn(row, "duration_differs", "duration is not end - start: end - start is used",
            duration.text);
}

void read_log(TraceInput& in, TraceTable& table) {
  const auto job = table.column("job_id"), user = table.column("user"),
             gpus = table.column("gpu_num"), cpus = table.column("cpu_num"),
             type = table.column("type"), state = table.column("state"),
             submit = table.column("submit_time"), start = table.column("start_time"),
             end = table.column("end_time"), duration = table.column("duration");
  in.rows(table, [&](JobRow& row) {
    row.job = table[job].text;
    row.shape.gpus = gpu_count(table[gpus]);
    if (row.shape.gpus == 0) return in.skip_cpu_only(row);
    row.user = table[user].text;
    row.project = table[type].text;  // Pretrain, Evaluation, SFT, ...
    row.cpus = amount_or(table[cpus], 0);
    row.outcome = outcome_of_slurm_state(table[state].text);
    if (!take_wall_times(in, row, table[submit], table[start], table[end], "")) return;
    warn_if_differs(in, row, table[duration]);
  });
  in.jobs.counts_from(0);
}

void read_converted(TraceInput& in, TraceTable& table) {
  const auto job = table.column("job_id"), arrival = table.column("arrival_time"),
             iterations = table.column("num_iteration"),
             per_iteration = table.column("iteration_computing_time"),
             workers = table.column("gpu_workers"), per_worker = table.column("gpu_per_worker"),
             network = table.column("profiled_network");
  in.rows(table, [&](JobRow& row) {
    row.job = table[job].text;
    row.submit = time_in(table[arrival]);
    const std::int64_t count = whole(table[iterations], 0, 1'000'000'000'000);
    const Duration each = time_in(table[per_iteration]);
    if (each > Duration{} && count > kLongest / each)
      bad_cell(table[iterations], "iterations for at most 100 years");
    row.duration = count * each;
    const std::int64_t nodes = whole(table[workers], 0, 1'000'000);
    const std::int64_t gpus = whole(table[per_worker], 0, 64);
    row.shape.gpus = static_cast<std::uint32_t>(nodes * gpus);
    if (row.shape.gpus == 0) return in.skip_cpu_only(row);
    row.shape.nodes = static_cast<std::uint32_t>(nodes);
    row.shape.gpus_per_node = static_cast<std::uint32_t>(gpus);
    row.project = table[network].text == "1000" ? "Pretrain" : "Other or SFT";
  });
}

void read(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  if (table.find("num_iteration").exists()) return read_converted(in, table);
  read_log(in, table);
}

const RegisterTraceFormat registered{
    "acme",
    {.description =
         "Shanghai AI Lab's clusters Seren and Kalos, March to August 2023 (Hu et al., NSDI'24): "
         "trace_seren.csv, trace_kalos.csv, and the list of completed Kalos jobs converted for "
         "another simulator (workers x GPUs per worker, iterations of half a second). Times carry "
         "their own offset (+08:00 and +00:00). The run time is end - start: in Kalos the column "
         "duration is end - submit. CPU jobs are left out; type becomes the project. No estimates.",
     .options = {},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
