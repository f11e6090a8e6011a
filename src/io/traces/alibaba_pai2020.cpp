// alibaba-pai2020: the MLaaS platform PAI (NSDI'22), as its three joined tables or as the job list
// of the GAIA study.

#include <string>

#include "io/traces/pai_tasks.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kGaia = "arrival_time,length,cpus";

bool is_status(std::string_view text) {
  return text == "Terminated" || text == "Failed" || text == "Running" || text == "Waiting";
}

int recognise(const TraceHead& head) {
  const std::string_view line = head.first_line();
  if (line == kGaia) return kCertain;
  CsvLine fields;
  if (!fields.split(line, ',') || fields.size() != 6) return 0;
  if (fields[0] == "job_name" && fields[3] == "status") return kCertain;
  return is_status(fields[3]) ? kCertain : 0;
}

void read_gaia(TraceInput& in, TraceTable& table) {
  const auto arrival = table.column("arrival_time"), length = table.column("length"),
             cpus = table.column("cpus");
  in.rows(table, [&](JobRow& row) {
    row.submit = time_in(table[arrival], std::chrono::hours{1});
    row.duration = time_in(table[length], std::chrono::hours{1});
    row.shape.gpus = gpu_count(table[cpus]);
    if (row.shape.gpus == 0) in.skip_cpu_only(row);
  });
  in.report.facts["cpus"] = "processing units, replayed as GPUs";
}

Outcome outcome_of(Cell status) {
  if (status.text == "Terminated") return Outcome::completed;
  if (status.text == "Failed") return Outcome::failed;
  if (status.text == "Running") return Outcome::running;
  if (status.text == "Waiting") return Outcome::unknown;
  bad_cell(status, "one of Terminated, Failed, Running, Waiting");
}

/// The job table joined with what the tasks say.
class PaiJobs {
 public:
  PaiJobs(TraceInput& in, TraceTable& table)
      : in_(in),
        table_(table),
        tasks_(in),
        keep_types_(in.choice("gpu_types", {"any", "keep"}) == "keep"),
        name_(table.column("job_name")),
        user_(table.column("user")),
        status_(table.column("status")),
        start_(table.column("start_time")),
        end_(table.column("end_time")) {}

  void take(JobRow& row) {
    row.job = table_[name_].text;
    row.user = table_[user_].text;
    row.outcome = outcome_of(table_[status_]);
    if (table_[start_].empty()) bad_cell(table_[start_], "a time", "submit_missing");
    row.submit = time_in(table_[start_]);  // of the job: its submission
    const PaiDemand* demand = tasks_.of(row.job);
    if (demand == nullptr)
      return in_.skip(row, "tasks_missing",
                      "no task of it in the task table, so no demand is known");
    if (demand->tasks.empty()) return in_.skip_cpu_only(row);
    if (demand->start == kUnknown)
      return in_.skip(row, "never_started", "no task of it was ever launched");
    row.recorded_start = demand->start;
    row.recorded_end = demand->end != kUnknown ? demand->end : time_in_or(table_[end_], kUnknown);
    if (row.recorded_end == kUnknown)
      return in_.skip(row, "run_time_unknown", "has no end time (still running): left out");
    if (row.recorded_end < row.recorded_start)
      bad_cell(table_[end_], "a time after the launch of its first task");
    row.duration = row.recorded_end - row.recorded_start;
    take_shape(*demand, row);
  }

 private:
  void take_shape(const PaiDemand& demand, JobRow& row) {
    PaiShape replayed = pai_shape(demand);
    if (replayed.shape.gpus == 0)
      bad_cell({"plan_gpu", row.job}, "at most " + std::to_string(kMostGpus) + " GPUs for one job");
    tasks_text_ = std::move(replayed.tasks);
    row.shape = replayed.shape;
    row.tasks = tasks_text_;
    row.cpus = demand.cpus;
    row.memory_gb = demand.memory_gb;
    if (keep_types_) row.types = demand.types;
    if (!replayed.code.empty()) in_.warn(row, replayed.code, replayed.meaning);
  }

  TraceInput& in_;
  TraceTable& table_;
  PaiTasks tasks_;
  bool keep_types_;
  std::string tasks_text_;
  TraceTable::Column name_, user_, status_, start_, end_;
};

void read(TraceInput& in) {
  const std::string_view first = TraceHead{in.lines.name(), in.lines.ahead()}.first_line();
  TraceTable table(in.lines);
  if (first == kGaia || first.starts_with("job_name,"))
    table.read_header();
  else
    table.set_header({"job_name", "inst_id", "user", "status", "start_time", "end_time"});
  if (first == kGaia) return read_gaia(in, table);
  PaiJobs jobs(in, table);
  in.rows(table, [&](JobRow& row) { jobs.take(row); });
}

const RegisterTraceFormat registered{
    "alibaba-pai2020",
    {.description =
         "Alibaba's MLaaS platform PAI, July and August 2020 (Weng et al., NSDI'22): the job "
         "table, "
         "joined with the task table (needed) and the instance table (if there) that lie beside "
         "it; "
         "none has a header line. The submit time is the job's start, the run time from the first "
         "launch of a task to the last end, the demand instances x plan_gpu. Or the GAIA list "
         "(arrival_time,length,cpus, in hours). No estimates.",
     .options = {{"task", "the task table", ""},
                 {"instance", "the instance table", ""},
                 {"gpu_types",
                  "gpu_type is what a task got: any (not a demand), or keep (it must get it again)",
                  "any"}},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
