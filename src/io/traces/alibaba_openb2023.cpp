// alibaba-openb2023: pods of a production Kubernetes cluster (FGD, ATC'23).

#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kShort = "name,cpu_milli,memory_mib,num_gpu,gpu_milli";

int recognise(const TraceHead& head) {
  return head.first_line() == kShort ||
                 head.first_line().starts_with(std::string{kShort} + ",gpu_spec,")
             ? kCertain
             : 0;
}

Duration option_time(const TraceInput& in, std::string_view name) {
  const std::string text = in.option(name);
  const auto time = parse_time_span(text);
  if (!time || *time > kLongest)
    throw InputError("--reader-option " + std::string{name},
                     "expected a time such as 90s or 2h, got " + in_quotes(text));
  return *time;
}

Qos qos_of(Cell cell) {
  if (cell.text == "LS" || cell.text == "Guaranteed") return Qos::guaranteed;
  if (cell.text == "Burstable" || cell.empty()) return Qos::normal;
  if (cell.text == "BE") return Qos::best_effort;
  bad_cell(cell, "one of LS, Guaranteed, Burstable, BE");
}

Outcome outcome_of(TraceInput& in, const JobRow& row, Cell phase) {
  if (phase.text == "Succeeded") return Outcome::completed;
  if (phase.text == "Failed") return Outcome::failed;
  if (phase.text == "Running")
    in.warn(row, "deleted_while_running",
            "in phase Running to the end: deleted, or cut off by the end of the trace: outcome "
            "unknown");
  return Outcome::unknown;
}

/// What both column sets have.
struct PodColumns {
  explicit PodColumns(const TraceTable& table)
      : name(table.column("name")),
        cpu(table.column("cpu_milli")),
        memory(table.column("memory_mib")),
        gpus(table.column("num_gpu")),
        milli(table.column("gpu_milli")) {}
  TraceTable::Column name, cpu, memory, gpus, milli;

  /// False if the pod asks for no GPU (then it was skipped).
  bool take(TraceInput& in, const TraceTable& table, JobRow& row) const {
    row.job = table[name].text;
    row.cpus = amount(table[cpu]) / 1000;
    row.memory_gb = amount(table[memory]) * 1.048576e-3F;
    row.shape.gpus = gpu_count(table[gpus]);
    const std::int64_t share = whole(table[milli], 0, 1000);
    if (row.shape.gpus == 0) return in.skip_cpu_only(row), false;
    if (share == 0 || (share < 1000 && row.shape.gpus > 1))
      bad_cell(table[milli], row.shape.gpus > 1 ? "1000 beside several GPUs" : "1 to 1000");
    row.shape.milli = static_cast<std::uint32_t>(share);
    return true;
  }
};

void read_timed(TraceInput& in, TraceTable& table) {
  const PodColumns pod(table);
  const auto spec = table.column("gpu_spec"), qos = table.column("qos"),
             phase = table.column("pod_phase"), created = table.column("creation_time"),
             deleted = table.column("deletion_time"), scheduled = table.column("scheduled_time");
  in.rows(table, [&](JobRow& row) {
    if (!pod.take(in, table, row)) return;
    row.types = table[spec].text;
    row.qos = qos_of(table[qos]);
    row.submit = time_in(table[created]);
    if (table[scheduled].empty())
      return in.skip(row, "never_started", "was never scheduled, so its run time is not known");
    row.recorded_start = time_in(table[scheduled]);
    row.recorded_end = time_in(table[deleted]);
    if (row.recorded_end < row.recorded_start)
      bad_cell(table[deleted], "a time that is not before scheduled_time");
    row.duration = row.recorded_end - row.recorded_start;
    row.outcome = outcome_of(in, row, table[phase]);
  });
}

void read_untimed(TraceInput& in, TraceTable& table) {
  if (!in.has_option("duration") || !in.has_option("interarrival"))
    throw InputError(
        in.lines.where(),
        "this list of pods has no times (creation_time, deletion_time, scheduled_time)",
        "give them, as in --reader-option duration=1h --reader-option interarrival=10s");
  const Duration duration = option_time(in, "duration");
  const Duration gap = option_time(in, "interarrival");
  const PodColumns pod(table);
  std::int64_t before = 0;
  in.rows(table, [&](JobRow& row) {
    if (!pod.take(in, table, row)) return;
    if (gap > Duration{} && before > kLongest / gap)
      bad_cell({"interarrival", in.option("interarrival")}, "submit times within 100 years");
    row.submit = before++ * gap;
    row.duration = duration;
  });
  in.report.facts["times"] = "not in the trace: every pod runs for " + in.option("duration") +
                             ", one is submitted every " + in.option("interarrival");
}

void read(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  if (table.find("creation_time").exists()) return read_timed(in, table);
  read_untimed(in, table);
}

const RegisterTraceFormat registered{
    "alibaba-openb2023",
    {.description =
         "Pods of an Alibaba production cluster with shared GPUs and GPU type constraints (FGD, "
         "ATC'23), with or without times. Submit is the creation, the run time from scheduled to "
         "deleted; pods never scheduled and CPU pods are left out. gpu_milli is kept as a share of "
         "one GPU, gpu_spec as the types allowed. LS and Guaranteed become guaranteed, BE "
         "best_effort. No estimates.",
     .options = {{"duration", "run time of every pod, for the lists without times", ""},
                 {"interarrival", "time from one pod to the next, for the lists without times",
                  ""}},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
