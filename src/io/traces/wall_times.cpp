#include "io/traces/wall_times.hpp"

#include "io/traces/slurm_values.hpp"

namespace muster {

bool take_wall_times(TraceInput& in, JobRow& row, Cell submit, Cell start, Cell end,
                     std::string_view zone) {
  if (submit.empty()) bad_cell(submit, "a date and time", "submit_missing");
  row.submit = in.instant(submit, row, zone);
  if (is_unknown_time(start.text)) {
    in.skip(row, "never_started", "has no start time: withdrawn while it waited, or still waiting");
    return false;
  }
  row.recorded_start = in.instant(start, row, zone);
  if (is_unknown_time(end.text)) {
    in.skip(row, "run_time_unknown", "has no end time (still running): left out");
    return false;
  }
  row.recorded_end = in.instant(end, row, zone);
  if (row.recorded_end < row.recorded_start) bad_cell(end, "a time that is not before the start");
  row.duration = row.recorded_end - row.recorded_start;
  return true;
}

}  // namespace muster
