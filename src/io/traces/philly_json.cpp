// The original layout of the Philly trace: one JSON array, one object per job.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "io/text/json_stream.hpp"
#include "io/traces/philly.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {
namespace {

/// What becomes of a job's attempts.
const std::vector<std::string> kAttempts{"sum", "span", "retry"};

struct Attempt {
  std::string start, end;  // empty: unknown
  std::uint32_t gpus = 0;
};

struct LoggedJob {
  std::string id, status, vc, user, submitted;
  std::vector<Attempt> attempts;
  std::uint64_t line = 0;
};

void replay(TraceInput& in, const LoggedJob& logged, JobRow& row);

/// Receives the parser's events and keeps one job at a time. Depth counts open brackets:
/// 1 [ jobs, 2 { job, 3 [ attempts, 4 { attempt, 5 [ detail, 6 { machine, 7 [ gpus.
class LogEvents {
 public:
  using json = nlohmann::json;
  LogEvents(TraceInput& in, JsonBytes& bytes) : in_(in), bytes_(bytes) {}

  bool null() { return text(""); }
  bool boolean(bool value) { return text(value ? "true" : "false"); }
  bool number_integer(json::number_integer_t value) { return text(std::to_string(value)); }
  bool number_unsigned(json::number_unsigned_t value) { return text(std::to_string(value)); }
  bool number_float(json::number_float_t, const std::string& as_written) {
    return text(as_written);
  }
  bool string(std::string& value) { return text(value == "None" ? "" : value); }
  bool binary(json::binary_t&) { return true; }

  bool key(std::string& name) {
    if (depth_ < keys_.size()) keys_[depth_] = name;
    return true;
  }
  bool start_object(std::size_t) {
    open();
    if (depth_ == 2) job_ = {}, job_.line = bytes_.line();
    if (depth_ == 4 && keys_[2] == "attempts") job_.attempts.emplace_back();
    return true;
  }
  bool end_object() {
    if (depth_ == 2) in_.row(job_.line, [&](JobRow& row) { replay(in_, job_, row); });
    return close();
  }
  bool start_array(std::size_t) {
    open();
    return true;
  }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const json::exception& error) {
    refuse_json(bytes_, error);
  }

 private:
  void open() {
    if (++depth_ < keys_.size()) keys_[depth_].clear();
  }
  bool close() {
    --depth_;
    return true;
  }

  bool text(std::string value) {
    if (depth_ == 2) {
      const std::string& k = keys_[2];
      if (k == "jobid")
        job_.id = std::move(value);
      else if (k == "status")
        job_.status = std::move(value);
      else if (k == "vc")
        job_.vc = std::move(value);
      else if (k == "user")
        job_.user = std::move(value);
      else if (k == "submitted_time")
        job_.submitted = std::move(value);
    } else if (keys_[2] == "attempts" && !job_.attempts.empty()) {
      Attempt& attempt = job_.attempts.back();
      if (depth_ == 4 && keys_[4] == "start_time")
        attempt.start = std::move(value);
      else if (depth_ == 4 && keys_[4] == "end_time")
        attempt.end = std::move(value);
      else if (depth_ == 7 && keys_[4] == "detail" && keys_[6] == "gpus")
        ++attempt.gpus;
    }
    return true;
  }

  TraceInput& in_;
  JsonBytes& bytes_;
  LoggedJob job_;
  std::size_t depth_ = 0;
  std::array<std::string, 8> keys_;
};

Outcome outcome_of(const std::string& status) {
  if (status == "Pass") return Outcome::completed;
  if (status == "Killed") return Outcome::cancelled;
  if (status == "Failed") return Outcome::failed;
  return Outcome::unknown;
}

/// What the attempts of one job come to.
struct Course {
  Duration first_start = kUnknown, last_end = kUnknown, held{};
  std::uint32_t gpus = 0;
  /// Attempts with both ends, as they began: when, and how long they ran.
  std::vector<std::pair<Duration, Duration>> timed;
  bool gpus_differ = false;
};

Course follow(TraceInput& in, const LoggedJob& logged, const JobRow& row) {
  Course c;
  for (const Attempt& a : logged.attempts) {
    const auto time = [&](std::string_view column, const std::string& text) {
      return text.empty() ? kUnknown : in.instant({column, text}, row, kPhillyZone);
    };
    const Duration start = time("start_time", a.start);
    const Duration end = time("end_time", a.end);
    if (start != kUnknown && (c.first_start == kUnknown || start < c.first_start))
      c.first_start = start;
    if (end != kUnknown) c.last_end = std::max(c.last_end, end);
    if (start != kUnknown && end != kUnknown) {
      if (end < start) bad_cell({"end_time", a.end}, "a time after start_time " + a.start);
      c.held += end - start;
      c.timed.emplace_back(start, end - start);
    }
    c.gpus_differ = c.gpus_differ || (c.gpus != 0 && a.gpus != 0 && a.gpus != c.gpus);
    c.gpus = std::max(c.gpus, a.gpus);
  }
  std::sort(c.timed.begin(), c.timed.end());
  return c;
}

void warn_about(TraceInput& in, const LoggedJob& logged, const Course& c, const JobRow& row) {
  if (logged.attempts.size() > 1)
    in.warn(row, "several_attempts",
            in.option("attempts") == "sum"
                ? "run more than once: the run time is the sum of the attempts"
            : in.option("attempts") == "retry"
                ? "run more than once: all attempts but the last fail by themselves"
                : "run more than once: the run time is from the first start to the last end",
            std::to_string(logged.attempts.size()));
  if (c.timed.size() < logged.attempts.size())
    in.warn(row, "attempt_without_times",
            "an attempt whose start or end is not known: it is left out");
  if (c.gpus_differ)
    in.warn(row, "attempts_differ_in_gpus",
            "attempts on different numbers of GPUs: the most is used");
  if (outcome_of(logged.status) == Outcome::unknown)
    in.warn(row, "status_unknown", "a status other than Pass, Killed and Failed: outcome unknown",
            logged.status);
}

void replay(TraceInput& in, const LoggedJob& logged, JobRow& row) {
  const std::string how = in.choice("attempts", kAttempts);
  row.job = logged.id;
  row.user = logged.user;
  row.queue = logged.vc;
  row.outcome = outcome_of(logged.status);
  if (logged.submitted.empty())
    bad_cell({"submitted_time", ""}, "a date and time", "submit_missing");
  row.submit = in.instant({"submitted_time", logged.submitted}, row, kPhillyZone);
  if (logged.attempts.empty())
    return in.skip(row, "never_started", "has no attempt, so no GPUs are known: left out");
  const Course c = follow(in, logged, row);
  if (c.gpus == 0) return in.skip(row, "gpus_unknown", "no attempt names its GPUs: left out");
  if (c.first_start == kUnknown || c.last_end == kUnknown || c.last_end < c.first_start ||
      (how != "span" && c.timed.empty()))
    return in.skip(row, "run_time_unknown",
                   "starts or ends are missing (still running, or not logged): left out");
  row.shape.gpus = c.gpus;
  row.duration = how == "sum"     ? c.held
                 : how == "retry" ? c.timed.back().second
                                  : c.last_end - c.first_start;
  if (how == "retry")
    for (std::size_t i = 0; i + 1 < c.timed.size(); ++i)
      row.failed_attempts.push_back(c.timed[i].second);
  row.recorded_start = c.first_start;
  row.recorded_end = c.last_end;
  warn_about(in, logged, c, row);
}

}  // namespace

void read_philly_log(TraceInput& in) {
  in.choice("attempts", kAttempts);
  JsonBytes bytes(in.lines);
  LogEvents events(in, bytes);
  nlohmann::json::sax_parse(bytes.begin(), JsonBytes::end(), &events);
  in.jobs.counts_from(0);
}

}  // namespace muster
