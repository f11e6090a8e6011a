#include "io/traces/pai_tasks.hpp"

#include <algorithm>

#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

/// "…/pai_job_table.csv" -> "pai_task_table.csv": the tables of one trace are called alike.
std::string sibling(const TraceInput& in, const std::string& table) {
  if (in.has_option(table)) return in.option(table);
  std::string name = in.lines.name().substr(in.lines.name().rfind('/') + 1);
  const std::size_t at = name.find("job_table");
  if (at == std::string::npos) return "pai_" + table + "_table.csv";
  return name.replace(at, 9, table + "_table");
}

/// A row of the joined tables is counted by the job table, so a bad one is an error at once.
template <class Read>
void read_rows(TraceTable& table, const LineReader& lines, const std::string& first,
               const Read& read) {
  while (table.next()) {
    try {
      table.check();
      if (table[table.column(first)].text != first) read();  // else a header line
    } catch (const RowError& error) {
      throw InputError(lines.where(), error.column + ": expected " + error.expected + ", got " +
                                          in_quotes(error.got));
    }
  }
}

void widen(PaiDemand& demand, Cell start, Cell end) {
  const Duration from = time_in_or(start, kUnknown);
  const Duration to = time_in_or(end, kUnknown);
  if (from != kUnknown && (demand.start == kUnknown || from < demand.start)) demand.start = from;
  if (to != kUnknown) demand.end = std::max(demand.end, to);
}

void add_type(PaiDemand& demand, std::string_view type) {
  const bool names_gpu = !type.empty() && type != "CPU";
  if (!names_gpu ||
      ("|" + demand.types + "|").find("|" + std::string{type} + "|") != std::string::npos)
    return;
  demand.types += (demand.types.empty() ? "" : "|") + std::string{type};
}

}  // namespace

PaiTasks::PaiTasks(TraceInput& in) {
  read_tasks(in);
  read_instances(in);
}

void PaiTasks::read_tasks(TraceInput& in) {
  std::unique_ptr<ByteSource> file;
  try {
    file = in.open_other(sibling(in, "task"));
  } catch (const InputError& error) {
    throw InputError(in.lines.name(), "needs the task table too: " + std::string{error.what()},
                     "--reader-option task=FILE names it, instance=FILE the instance table");
  }
  LineReader lines(std::move(file));
  TraceTable table(lines);
  table.set_header({"job_name", "task_name", "inst_num", "status", "start_time", "end_time",
                    "plan_cpu", "plan_mem", "plan_gpu", "gpu_type"});
  const auto job = table.column("job_name"), instances = table.column("inst_num"),
             start = table.column("start_time"), end = table.column("end_time"),
             cpu = table.column("plan_cpu"), memory = table.column("plan_mem"),
             gpu = table.column("plan_gpu"), type = table.column("gpu_type");
  read_rows(table, lines, "job_name", [&] {
    std::uint32_t row = index_.find(names_, table[job].text);
    if (row == TextIndex::kAbsent) {
      row = static_cast<std::uint32_t>(demands_.size());
      names_.push_back(table[job].text);
      index_.add_last(names_);
      demands_.emplace_back();
    }
    PaiDemand& demand = demands_[row];
    widen(demand, table[start], table[end]);
    const auto count = static_cast<std::uint32_t>(whole_or(table[instances], 0, 1'000'000, 1));
    const auto n = static_cast<float>(count);
    demand.cpus += n * amount_or(table[cpu], 0) / 100;
    demand.memory_gb += n * amount_or(table[memory], 0);
    const Cell percent = table[gpu];
    if (percent.empty()) return;
    const auto milli = parse_scaled(percent.text, 10);
    if (!milli || *milli < 0 || *milli > 64'000) bad_cell(percent, "percent of a GPU, 0 to 6400");
    if (*milli == 0 || count == 0) return;
    demand.tasks.push_back({count, static_cast<std::uint32_t>(*milli)});
    add_type(demand, table[type].text);
  });
  in.report.facts["task_table"] = lines.name();
}

void PaiTasks::read_instances(TraceInput& in) {
  std::unique_ptr<ByteSource> file;
  try {
    file = in.open_other(sibling(in, "instance"));
  } catch (const InputError&) {
    if (in.has_option("instance")) throw;
    in.report.facts["instance_table"] = "none: starts and ends are those of the tasks";
    return;
  }
  LineReader lines(std::move(file));
  TraceTable table(lines);
  table.set_header({"job_name", "task_name", "inst_name", "worker_name", "inst_id", "status",
                    "start_time", "end_time", "machine"});
  const auto job = table.column("job_name"), start = table.column("start_time"),
             end = table.column("end_time");
  read_rows(table, lines, "job_name", [&] {
    const std::uint32_t row = index_.find(names_, table[job].text);
    if (row != TextIndex::kAbsent) widen(demands_[row], table[start], table[end]);
  });
  in.report.facts["instance_table"] = lines.name();
}

const PaiDemand* PaiTasks::of(std::string_view job) const {
  const std::uint32_t row = index_.find(names_, job);
  return row == TextIndex::kAbsent ? nullptr : &demands_[row];
}

}  // namespace muster
