// sacct: what Slurm's accounting prints (sacct --parsable2) or stores (the job table of its
// database, dumped as CSV).

#include "io/traces/slurm_dump.hpp"
#include "io/traces/slurm_values.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

int recognise(const TraceHead& head) {
  const std::string_view line = head.first_line();
  if (is_slurm_dump(line)) return kCertain;
  const bool has_id = line.starts_with("JobID") || line.find("|JobID") != std::string_view::npos;
  return has_id && line.find('|') != std::string_view::npos ? kCertain : 0;
}

struct Columns {
  explicit Columns(const TraceTable& t) : table(t) {
    id = t.find("JobIDRaw").exists() ? t.find("JobIDRaw") : t.column("JobID");
    submit = t.column("Submit");
    start = t.column("Start");
    end = t.column("End");
    elapsed = t.find("ElapsedRaw").exists() ? t.find("ElapsedRaw") : t.find("Elapsed");
    limit = t.find("TimelimitRaw").exists() ? t.find("TimelimitRaw") : t.find("Timelimit");
    state = t.column("State");
    allocated = t.find("AllocTRES");
    requested = t.find("ReqTRES");
    if (!allocated.exists() && !requested.exists()) t.column("AllocTRES");  // says what is missing
    eligible = t.find("Eligible");
    user = t.find("User");
    account = t.find("Account");
    partition = t.find("Partition");
  }
  const TraceTable& table;
  TraceTable::Column id, submit, start, end, elapsed, limit, state, allocated, requested, eligible,
      user, account, partition;
};

/// A time as sacct prints it: ISO without a zone, or Unix seconds (SLURM_TIME_FORMAT=%s).
Duration time_of(TraceInput& in, const JobRow& row, Cell cell) {
  if (const auto unix_s = parse_integer(cell.text); unix_s && *unix_s >= 0 && *unix_s < 1LL << 33)
    return std::chrono::seconds{*unix_s};
  return in.instant(cell, row, "");
}

void take_limit(TraceInput& in, const Columns& c, JobRow& row) {
  const Cell cell = c.table[c.limit];
  if (cell.text == "UNLIMITED") row.limit = kUnlimited;
  const bool number = !cell.empty() && cell.text.front() >= '0' && cell.text.front() <= '9';
  if (!number)  // UNLIMITED, Partition_Limit, INVALID, or not asked for
    return in.warn(row, "estimate_missing", "no time limit: the policy's default_estimate is used",
                   cell.text);
  row.estimate = c.limit.name == "TimelimitRaw" ? time_in(cell, std::chrono::minutes{1})
                                                : slurm_duration(cell);
  if (row.estimate > Duration{} && row.duration > row.estimate)
    in.warn(row, "run_exceeds_request",
            "ran longer than its time limit: killed at the limit, unless the policy lets it run");
}

void take_run(TraceInput& in, const Columns& c, JobRow& row) {
  row.recorded_start = time_of(in, row, c.table[c.start]);
  const Cell end = c.table[c.end];
  const Cell elapsed = c.table[c.elapsed];
  const bool ended = !is_unknown_time(end.text);
  if (ended) {
    row.recorded_end = time_of(in, row, end);
    if (row.recorded_end < row.recorded_start) bad_cell(end, "a time that is not before Start");
    row.duration = row.recorded_end - row.recorded_start;
  }
  if (!elapsed.empty()) {
    const Duration ran =
        c.elapsed.name == "ElapsedRaw" ? time_in(elapsed) : slurm_duration(elapsed);
    if (ended && ran != row.duration)
      in.warn(row, "elapsed_differs",
              "Elapsed is not End - Start (it was suspended): Elapsed is used", elapsed.text);
    row.duration = ran;
  } else if (!ended) {
    bad_cell(end, "a time, or the column Elapsed");
  }
  if (!ended)
    in.warn(row, "still_running", "had not ended: runs for as long as it had by then",
            elapsed.text);
}

void take_gpus(const Columns& c, JobRow& row) {
  const Cell allocated = c.table[c.allocated];
  const Cell requested = c.table[c.requested];
  row.shape.gpus = gpus_of_tres(allocated.empty() ? requested : allocated);
  row.types = gpu_type_of_tres(requested.text);  // what it was given says nothing on what it needs
}

void take(TraceInput& in, const Columns& c, JobRow& row) {
  const TraceTable& t = c.table;
  row.job = t[c.id].text;
  if (row.job.find('.') != std::string_view::npos)
    return in.skip(row, "steps_ignored", "a step of a job that has a row of its own");
  if (row.job.empty()) bad_cell(t[c.id], "a job id");
  if (is_unknown_time(t[c.submit].text)) bad_cell(t[c.submit], "a time", "submit_missing");
  const bool eligible = in.option("submit") == "eligible" && !is_unknown_time(t[c.eligible].text);
  row.submit = time_of(in, row, t[eligible ? c.eligible : c.submit]);
  row.outcome = outcome_of_slurm_state(t[c.state].text);
  if (is_unknown_time(t[c.start].text) || is_pending_state(t[c.state].text))
    return in.skip(row, "never_started",
                   "has not started: cancelled while it waited, or still waiting");
  take_gpus(c, row);
  if (row.shape.gpus == 0) return in.skip_cpu_only(row);
  take_run(in, c, row);
  take_limit(in, c, row);
  row.user = t[c.user].text;
  row.group = t[c.account].text;
  row.queue = t[c.partition].text;
}

void read(TraceInput& in) {
  in.choice("submit", {"submit", "eligible"});
  in.jobs.counts_from(0);
  if (is_slurm_dump(TraceHead{in.lines.name(), in.lines.ahead()}.first_line()))
    return read_slurm_dump(in);
  TraceTable table(in.lines, '|');
  table.read_header();
  const Columns columns(table);
  in.rows(table, [&](JobRow& row) { take(in, columns, row); });
}

const RegisterTraceFormat registered{
    "sacct",
    {.description =
         "Slurm's accounting: sacct --allusers --parsable2 --format "
         "JobIDRaw,Submit,Start,End,Elapsed,Timelimit,State,AllocTRES (more columns are fine), or "
         "the job table of its database as CSV (id_job, time_submit, tres_alloc, ...). Steps are "
         "left out, as are jobs that never started or have no GPU. The time limit is the estimate; "
         "UNLIMITED and Partition_Limit are none. Wall times need --time-zone. Slurm's computed "
         "priority is not used.",
     .options = {{"submit",
                  "which time a job comes at: submit, or eligible (after dependencies and "
                  "array throttling)",
                  "submit"},
                 {"gpu_tres", "in a dump: the TRES ids that are GPUs", "1001,1002"}},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
