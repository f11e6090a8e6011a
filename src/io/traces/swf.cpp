// swf: the Standard Workload Format of the Parallel Workloads Archive. Machines without GPUs:
// processors are replayed as GPUs.

#include <algorithm>
#include <string>

#include "io/traces/swf_lines.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {
namespace {

constexpr std::int64_t kCancelled = 5;

/// A log whose jobs all "failed" has no status at all; a short excerpt may really have failed.
constexpr std::uint64_t kEnoughToDoubtStatus = 20;

int recognise(const TraceHead& head) {
  CsvLine fields;
  fields.split_blanks(head.first_line(';'));
  bool numbers = fields.size() >= kSwfFields;
  for (std::size_t i = 0; numbers && i < 12; ++i) numbers = parse_real(fields[i]).has_value();
  if (numbers) return kCertain;
  const bool header =
      head.text.starts_with(";") && (head.text.find("MaxProcs:") != std::string_view::npos ||
                                     head.text.find("UnixStartTime:") != std::string_view::npos);
  return header ? kLikely : 0;
}

Duration signed_time(Cell cell) {
  const auto time = parse_duration(cell.text);
  if (!time || *time > kLongest || *time < -kLongest) bad_cell(cell, "a number of seconds");
  return *time;
}

void take_processors(TraceInput& in, const SwfLines& log, JobRow& row) {
  const auto count = [&](Swf field) { return whole_or(log.known(field), 0, kMostGpus, 0); };
  const std::int64_t requested = count(Swf::requested);
  const std::int64_t allocated = count(Swf::allocated);
  if (requested == 0 && allocated == 0)
    bad_cell(log[Swf::requested], "1 or more processors, requested or allocated", "no_processors");
  if (requested == 0)
    in.warn(row, "requested_procs_missing_used_allocated",
            "no number of requested processors: the allocated ones are used");
  row.shape.gpus = static_cast<std::uint32_t>(requested > 0 ? requested : allocated);
}

void take_estimate(TraceInput& in, const SwfLines& log, JobRow& row) {
  const Cell cell = log.known(Swf::estimate);
  if (cell.empty())
    return in.warn(row, "estimate_missing",
                   "no requested time: the policy's default_estimate is used");
  row.estimate = signed_time(cell);
  if (row.estimate > Duration{} && row.duration > row.estimate)
    in.warn(row, "run_exceeds_request",
            "ran longer than requested: killed at the limit, unless the policy lets it run",
            log[Swf::run].text);
}

Outcome outcome_of(std::int64_t status) {
  if (status == 0) return Outcome::failed;
  if (status == 1) return Outcome::completed;
  if (status == kCancelled) return Outcome::cancelled;
  return Outcome::unknown;
}

void take_names(const SwfLines& log, JobRow& row) {
  row.user = log.known(Swf::user).text;
  row.group = log.known(Swf::group).text;
  const Cell named = log[Swf::queue_name];
  row.queue = named.empty() ? log.known(Swf::queue).text : named.text;
}

/// Fills the row; false if it was skipped.
bool take(TraceInput& in, const SwfLines& log, JobRow& row) {
  row.job = log[Swf::job].text;
  whole(log[Swf::job], 0, INT64_MAX);
  const std::int64_t status = whole_or(log.known(Swf::status), 0, 5, -1);
  const Duration run = signed_time(log[Swf::run]);
  if (status == kCancelled && run <= Duration{})
    return in.skip(row, "skipped_cancelled", "cancelled before it started"), false;
  if (status >= 2 && status <= 4)
    return in.skip(row, "partial_execution", "a part of a job that has a line of its own"), false;
  if (run < Duration{})
    return in.skip(row, "run_time_missing", "no run time (a negative one means not known)"), false;
  const Cell submit = log.known(Swf::submit);
  if (submit.empty()) bad_cell(log[Swf::submit], "a time", "submit_missing");
  row.submit = signed_time(submit);
  row.duration = run;
  take_processors(in, log, row);
  take_estimate(in, log, row);
  take_names(log, row);
  row.outcome = outcome_of(status);
  if (const Cell wait = log.known(Swf::wait); !wait.empty()) {
    row.recorded_start = row.submit + signed_time(wait);
    row.recorded_end = row.recorded_start + run;
  }
  if (const Cell before = log.known(Swf::preceding); !before.empty() && before.text != "0")
    in.warn(row, "preceding_job_ignored",
            "names a preceding job: its submit time already tells when it came", before.text);
  return true;
}

void read(TraceInput& in) {
  SwfLines log(in.lines);
  std::uint64_t failed = 0;
  in.keep_clock();
  in.rows(log, [&](JobRow& row) {
    if (take(in, log, row) && row.outcome == Outcome::failed) ++failed;
  });
  for (const char* key : {"MaxProcs", "MaxNodes", "UnixStartTime", "TimeZoneString", "Computer"})
    if (const auto found = log.notes().find(key); found != log.notes().end())
      in.report.facts[key] = found->second;
  if (failed == in.jobs.size() && failed >= kEnoughToDoubtStatus) {
    in.jobs.replace_outcomes(Outcome::unknown);
    in.report.facts["status"] = "0 for all jobs: taken for unknown";
  }
  if (const auto start = log.notes().find("UnixStartTime"); start != log.notes().end())
    if (const auto unix_s = parse_integer(start->second);
        unix_s && *unix_s >= 0 && *unix_s < 1LL << 33)
      in.jobs.counts_from(*unix_s * 1'000'000'000);
}

const RegisterTraceFormat registered{
    "swf",
    {.description =
         "The Standard Workload Format (Feitelson's Parallel Workloads Archive): 18 or more fields "
         "between blanks, ; comments, -1 for not known. Processors are replayed as GPUs, on a "
         "fleet "
         "of one-GPU nodes. Jobs cancelled before they started and partial executions are left "
         "out; the recorded wait is kept for comparison and never used.",
     .options = {},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
