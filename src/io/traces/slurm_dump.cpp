#include "io/traces/slurm_dump.hpp"

#include <string>

#include "io/traces/slurm_values.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

// Slurm's INFINITE and NO_VAL, 32 bits.
constexpr std::int64_t kInfinite = 4294967295;
constexpr std::int64_t kNoValue = 4294967294;

struct Columns {
  explicit Columns(const TraceTable& t)
      : table(t),
        id(t.column("id_job")),
        submit(t.column("time_submit")),
        eligible(t.find("time_eligible")),
        start(t.column("time_start")),
        end(t.column("time_end")),
        suspended(t.find("time_suspended")),
        limit(t.find("timelimit")),
        state(t.column("state")),
        allocated(t.find("tres_alloc")),
        requested(t.find("tres_req")),
        user(t.find("id_user")),
        account(t.find("account")),
        partition(t.find("partition")),
        cpus(t.find("cpus_req")) {}
  const TraceTable& table;
  TraceTable::Column id, submit, eligible, start, end, suspended, limit, state, allocated,
      requested, user, account, partition, cpus;
};

Cell text_of(Cell cell) {
  if (cell.text == "\\N") cell.text = {};                     // SQL's NULL
  if (cell.text.ends_with(".0")) cell.text.remove_suffix(2);  // a number that went through a float
  return cell;
}

Duration unix_time(Cell cell) { return std::chrono::seconds{whole(cell, 0, 1LL << 33)}; }

void take_limit(TraceInput& in, const Columns& c, JobRow& row) {
  const std::int64_t minutes = whole_or(text_of(c.table[c.limit]), 0, kInfinite, kNoValue);
  if (minutes == kInfinite) row.limit = kUnlimited;
  if (minutes >= kNoValue)
    return in.warn(row, "estimate_missing", "no time limit: the policy's default_estimate is used");
  row.estimate = std::chrono::minutes{minutes};
  if (row.estimate > kLongest) bad_cell(c.table[c.limit], "minutes, at most 100 years");
  if (row.estimate > Duration{} && row.duration > row.estimate)
    in.warn(row, "run_exceeds_request",
            "ran longer than its time limit: killed at the limit, unless the policy lets it run");
}

void take_submit(TraceInput& in, const Columns& c, JobRow& row) {
  const Cell submit = text_of(c.table[c.submit]);
  if (submit.empty() || submit.text == "0") bad_cell(submit, "a Unix time", "submit_missing");
  row.submit = unix_time(submit);
  const Cell eligible = text_of(c.table[c.eligible]);
  if (eligible.empty() || unix_time(eligible) <= row.submit) return;
  const bool use = in.option("submit") == "eligible";
  in.warn(
      row, "eligible_after_submit",
      use ? "could not run when it was submitted (dependency, array limit): comes when eligible"
          : "could not run when it was submitted (dependency, array limit): comes when submitted",
      eligible.text);
  if (use) row.submit = unix_time(eligible);
}

void take(TraceInput& in, const Columns& c, const std::string& gpu_ids, JobRow& row) {
  const TraceTable& t = c.table;
  row.job = text_of(t[c.id]).text;
  take_submit(in, c, row);
  const std::int64_t state = whole(t[c.state], 0, INT32_MAX);
  row.outcome = outcome_of_slurm_code(state);
  const Cell start = text_of(t[c.start]);
  const Cell end = text_of(t[c.end]);
  if (start.empty() || start.text == "0" || (state & 0xff) == 0)
    return in.skip(row, "never_started",
                   "has not started: cancelled while it waited, or still waiting");
  const Cell tres =
      text_of(t[c.allocated]).empty() ? text_of(t[c.requested]) : text_of(t[c.allocated]);
  row.shape.gpus = gpus_of_tres_ids(tres, gpu_ids);
  if (row.shape.gpus == 0) return in.skip_cpu_only(row);
  if (end.empty() || end.text == "0")
    return in.skip(row, "run_time_unknown", "has no end time (still running): left out");
  row.recorded_start = unix_time(start);
  row.recorded_end = unix_time(end);
  row.duration = row.recorded_end - row.recorded_start -
                 std::chrono::seconds{whole_or(t[c.suspended], 0, 1LL << 33, 0)};
  if (row.duration < Duration{}) bad_cell(end, "a time after time_start and time_suspended");
  take_limit(in, c, row);
  row.user = text_of(t[c.user]).text;
  row.group = text_of(t[c.account]).text;
  row.queue = text_of(t[c.partition]).text;
  row.cpus = amount_or(text_of(t[c.cpus]), 0);
}

}  // namespace

bool is_slurm_dump(std::string_view header) {
  const std::string line = "," + std::string{header} + ",";
  const auto has = [&](std::string_view name) { return line.find(name) != std::string::npos; };
  return has(",id_job,") && has(",time_submit,") && (has(",tres_alloc,") || has(",tres_req,"));
}

void read_slurm_dump(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  const Columns columns(table);
  const std::string gpu_ids = in.option("gpu_tres");
  in.rows(table, [&](JobRow& row) { take(in, columns, gpu_ids, row); });
  in.report.facts["gpu_tres"] = gpu_ids;
}

}  // namespace muster
