// helios: SenseTime's four Slurm clusters, April to September 2020.

#include "io/traces/slurm_values.hpp"
#include "io/traces/wall_times.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kHeader =
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue";

/// The logs are in China's wall time, which has had no clock changes since 1991.
constexpr std::string_view kZone = "+08:00";

int recognise(const TraceHead& head) { return head.first_line() == kHeader ? kCertain : 0; }

void warn_about(TraceInput& in, const JobRow& row, Cell state, Cell duration) {
  if (row.outcome == Outcome::running || row.outcome == Outcome::unknown)
    in.warn(row, "state_unusual", "a state that no finished job has: kept", state.text);
  if (time_in_or(duration, row.duration) != row.duration)
    in.warn(row, "duration_differs", "duration is not end - start: end - start is used",
            duration.text);
}

void read(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  const auto job = table.column("job_id"), user = table.column("user"), vc = table.column("vc"),
             gpus = table.column("gpu_num"), cpus = table.column("cpu_num"),
             state = table.column("state"), submit = table.column("submit_time"),
             start = table.column("start_time"), end = table.column("end_time"),
             duration = table.column("duration");
  in.rows(table, [&](JobRow& row) {
    row.job = table[job].text;
    row.shape.gpus = gpu_count(table[gpus]);
    if (row.shape.gpus == 0) return in.skip_cpu_only(row);
    row.user = table[user].text;
    row.queue = table[vc].text;
    row.cpus = amount_or(table[cpus], 0);
    row.outcome = outcome_of_slurm_state(table[state].text);
    if (take_wall_times(in, row, table[submit], table[start], table[end], kZone))
      warn_about(in, row, table[state], table[duration]);
  });
  in.jobs.counts_from(0);
}

const RegisterTraceFormat registered{
    "helios",
    {.description =
         "SenseTime's Helios clusters, April to September 2020 (Hu et al., SC'21): cluster_log.csv "
         "of one cluster. Wall times are UTC+8 unless a time zone is given. CPU jobs (gpu_num 0) "
         "are left out; node_num is what was allocated, so the placer stays free to choose. No "
         "estimates.",
     .options = {},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
