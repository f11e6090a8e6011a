#include <algorithm>
#include <charconv>

#include "muster/core/check.hpp"
#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"
#include "muster/io/text/date.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {
namespace {

constexpr std::size_t kErrorsKept = 20;

/// Relative times this late do not occur (three years in, nothing submitted before), Unix times do.
constexpr Duration kSurelyUnixTime = std::chrono::seconds{100'000'000};

// Far from anything that can be meant, and sums of times must not overflow.
void check_recorded(const JobRow& job, std::string_view column, Duration time) {
  if (time == kUnknown || (time - job.submit <= kLongest && job.submit - time <= kLongest)) return;
  throw RowError{std::string{column}, "a time within 100 years of the submit",
                 to_decimal((time - job.submit).count(), 9) + " s after it"};
}

std::string message(const TraceReport& report, const JobRow& job, const RowError& error) {
  std::string text = report.source + ":" + std::to_string(job.line) + ": " + error.column +
                     ": expected " + error.expected + ", got " + in_quotes(error.got) + " (row " +
                     std::to_string(report.rows);
  if (!job.job.empty()) text += ", job " + std::string{job.job};
  return text + ")";
}

}  // namespace

void bad_cell(Cell cell, std::string expected, std::string code) {
  throw RowError{std::string{cell.column}, std::move(expected), std::string{cell.text},
                 std::move(code)};
}

void TraceInput::begin_row() {
  ++report.rows;
  skipped_ = false;
  pending_.clear();
}

void TraceInput::end_row(JobRow& job) {
  if (skipped_) return;
  if (job.job.empty()) job.job = number_of_row(report.rows);
  check_recorded(job, "recorded start", job.recorded_start);
  check_recorded(job, "recorded end", job.recorded_end);
  if (const std::uint64_t line = jobs.add(job); line != 0)
    throw RowError{"job", "an id of its own (line " + std::to_string(line) + " has this one)",
                   std::string{job.job}, "duplicate_job"};
  for (const Warning& w : pending_)
    report.note(report.warnings, w.code, w.meaning, job.line, job.job, w.value);
  ++report.replayed;
}

bool TraceInput::plain_row(PlainRow& job) {
  if (job.job.empty()) job.job = number_of_row(report.rows + 1);
  if (!jobs.add_plain(job)) return false;
  ++report.rows;
  ++report.replayed;
  return true;
}

/// Rows come one after the other: mostly only the last digit is another one.
std::string_view TraceInput::number_of_row(std::uint64_t row) {
  if (row == numbered_ + 1 && digits_ > 0 && row_number_[digits_ - 1] != '9')
    ++row_number_[digits_ - 1];
  else if (row != numbered_)
    digits_ = static_cast<std::size_t>(
        std::to_chars(row_number_.begin(), row_number_.end(), row).ptr - row_number_.data());
  numbered_ = row;
  return {row_number_.data(), digits_};
}

void TraceInput::skip(const JobRow& job, std::string_view code, std::string_view meaning) {
  MUSTER_CHECK(!skipped_);
  skipped_ = true;
  report.note(report.skipped, code, meaning, job.line, job.job);
}

void TraceInput::warn(const JobRow&, std::string_view code, std::string_view meaning,
                      std::string_view value) {
  pending_.push_back({code, meaning, std::string{value}});
}

void TraceInput::reject(const JobRow& job, const RowError& error) {
  MUSTER_CHECK(!skipped_);
  report.note(report.rejected, error.code, error.column + ": expected " + error.expected, job.line,
              job.job, error.got);
  if (report.errors.size() < kErrorsKept) report.errors.push_back(message(report, job, error));
}

Duration TraceInput::instant(Cell cell, const JobRow& job, std::string_view zone_otherwise) {
  const auto date = parse_date(cell.text);
  if (!date) bad_cell(cell, "a date and time such as 2023-03-01 00:18:22");
  if (date->offset_s) return Duration{date->local_ns} - std::chrono::seconds{*date->offset_s};
  if (!zone_) {
    const std::string_view name = options.time_zone.empty() ? zone_otherwise : options.time_zone;
    if (name.empty())
      bad_cell(cell, "an offset behind the wall time (+08:00), or --time-zone ZONE",
               "time_zone_missing");
    zone_ = TimeZone::named(name);
    report.facts["time_zone"] = zone_->name();
  }
  const std::int64_t local_s = date->local_ns / 1'000'000'000;
  const TimeZone::Instant at = zone_->at(local_s);
  if (at.kind == TimeZone::Instant::Kind::doubled)
    warn(job, "doubled_hour",
         "a wall time that came twice (clocks were set back): the first is meant", cell.text);
  if (at.kind == TimeZone::Instant::Kind::skipped)
    warn(job, "skipped_hour",
         "a wall time that never came (clocks were set forward): counted from the hour before",
         cell.text);
  return std::chrono::seconds{at.unix_s} + Duration{date->local_ns % 1'000'000'000};
}

std::string TraceInput::option(std::string_view name) const {
  if (const auto given = options.extra.find(std::string{name}); given != options.extra.end())
    return given->second;
  for (const TraceFormat::Option& known : format_.options)
    if (known.name == name) return known.otherwise;
  MUSTER_CHECK(false);
}

std::string TraceInput::choice(std::string_view name,
                               const std::vector<std::string>& choices) const {
  std::string value = option(name);
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  throw InputError("--reader-option " + std::string{name},
                   "expected one of " + list + ", got " + in_quotes(value));
}

void TraceInput::refuse_bad_rows() const {
  const std::uint64_t bad = report.total(report.rejected);
  std::string text = report.errors.front();
  if (bad > 1)
    text += "   (and " + std::to_string(bad - 1) + (bad == 2 ? " more row)" : " more rows)");
  throw InputError("", text,
                   "--skip-bad-rows drops them; the report will say how many were dropped");
}

void TraceInput::refuse_no_jobs() const {
  if (report.rows == 0) throw InputError(report.source, "has no rows: expected at least one job");
  std::string why;
  for (const auto* list : {&report.skipped, &report.rejected})
    for (const TraceReport::Note& note : *list)
      why += (why.empty() ? "" : ", ") + std::to_string(note.count) + " " + note.code;
  throw InputError(report.source,
                   "none of its " + std::to_string(report.rows) + " rows can be replayed: " + why);
}

Workload TraceInput::finish() {
  if (!report.rejected.empty() && !options.skip_bad_rows) refuse_bad_rows();
  if (jobs.size() == 0) refuse_no_jobs();
  MUSTER_CHECK(report.replayed == jobs.size());
  MUSTER_CHECK(report.rows ==
               report.replayed + report.total(report.skipped) + report.total(report.rejected));
  const Duration first = jobs.first_submit();
  return jobs.finish(keep_origin_ ||
                     (keep_clock_ && first >= Duration{} && first < kSurelyUnixTime));
}

}  // namespace muster
