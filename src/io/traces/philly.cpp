// philly: Microsoft's Philly clusters (2017), in the three layouts the trace goes round in.

#include "io/traces/philly.hpp"
#include "io/traces/clos_list.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kListHeader = "timestamp,duration,num_gpus,gpu_time,cluster";

bool is_log(const TraceHead& head) {
  const std::size_t begin = head.text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && head.text[begin] == '[' &&
         head.text.find("\"attempts\"") != std::string_view::npos &&
         head.text.find("\"submitted_time\"") != std::string_view::npos;
}

int recognise(const TraceHead& head) {
  if (head.first_line() == kListHeader || is_log(head)) return kCertain;
  return head.first_line() == kClosListHeader ? kLikely : 0;
}

void read_list(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  const auto timestamp = table.column("timestamp"), duration = table.column("duration"),
             gpus = table.column("num_gpus"), vc = table.column("cluster");
  in.rows(table, [&](JobRow& row) {
    row.submit = in.instant(table[timestamp], row, kPhillyZone);
    row.duration = time_in(table[duration]);
    row.shape.gpus = gpu_count(table[gpus]);
    row.queue = table[vc].text;
    if (row.shape.gpus == 0) in.skip_cpu_only(row);
  });
  in.jobs.counts_from(0);
}

void read(TraceInput& in) {
  const TraceHead head{in.lines.name(), in.lines.ahead()};
  if (head.first_line() == kClosListHeader) return read_clos_list(in);
  if (head.first_line().starts_with("timestamp")) return read_list(in);
  read_philly_log(in);
}

const RegisterTraceFormat registered{
    "philly",
    {.description =
         "Microsoft's Philly clusters, August to December 2017 (Jeon et al., ATC'19), in three "
         "layouts: the original JSON log with attempts and machines, the list of Pollux and Sia "
         "(timestamp,duration,num_gpus,gpu_time,cluster), and the list for topology studies (#job "
         "id,arrival time (sec),...). Wall times are US Pacific unless a time zone is given; the "
         "hour that came twice on 2017-11-05 is reported. No estimates.",
     .options =
         {{"attempts",
           "run time of a job with several attempts: sum (what held GPUs), span (first "
           "start to last end, as the two lists have it), or retry (each attempt on its own: "
           "all but the last fail by themselves, and the job waits again)",
           "sum"}},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
