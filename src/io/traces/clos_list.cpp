#include "io/traces/clos_list.hpp"

#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {

void read_clos_list(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  const auto job = table.column("#job id"), arrival = table.column("arrival time (sec)"),
             shape = table.column("shape"), size = table.column("size"),
             duration = table.column("duration (sec)");
  in.rows(table, [&](JobRow& row) {
    row.job = table[job].text;
    row.submit = time_in(table[arrival]);
    row.shape.gpus = gpu_count(table[size]);
    row.duration = time_in(table[duration]);
    if (table[shape].text != table[size].text)
      in.warn(row, "shape_ignored", "a shape that is not just the size: only the size is used",
              table[shape].text);
    if (row.duration == Duration{})
      in.warn(row, "zero_duration", "a run time of 0 s (shorter than the log's resolution): kept");
    if (row.shape.gpus == 0) in.skip_cpu_only(row);
  });
}

}  // namespace muster
