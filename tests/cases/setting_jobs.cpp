// The jobs of a case as a trace in memory: its own text, or rows of canonical CSV.

#include "muster/core/error.hpp"
#include "muster/io/trace_reader.hpp"
#include "setting_parts.hpp"

namespace muster::cases {
namespace {

std::string joined(const Json& lines) {
  std::string text;
  for (const Json& line : lines) text += line.get<std::string>() + "\n";
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"#\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string repeated(const std::string& text, std::int64_t n) {
  std::string out;
  for (std::int64_t i = 0; i < n; ++i) out += (i ? "+" : "") + text;
  return out;
}

/// A list of task objects, a list of numbers, or how many there are.
std::string tasks_text(Members& job, const Json& tasks) {
  if (tasks.is_number_integer()) {
    const std::int64_t n = tasks.get<std::int64_t>();
    const Json* each = job.find("gpus_per_task");
    const Json* gpus = job.find("gpus");
    const std::int64_t per_task = each   ? each->get<std::int64_t>()
                                  : gpus ? gpus->get<std::int64_t>() / n
                                         : 1;
    if (n < 1 || (gpus && per_task * n != gpus->get<std::int64_t>()))
      throw Unsupported("job key tasks");
    return repeated(std::to_string(per_task), n);
  }
  if (!tasks.is_array()) throw Unsupported("job key tasks");
  std::string text;
  for (const Json& task : tasks) {
    std::string one;
    if (task.is_object()) {
      Members members(task, "task");
      members.find("name");
      members.find("id");
      const Json* count = members.find("count");
      one = repeated(members.text("gpus", "1"), count ? count->get<std::int64_t>() : 1);
      members.done();
    } else {
      one = task.dump();
    }
    text += (text.empty() ? "" : "+") + one;
  }
  return text;
}

std::string level_word(const std::string& word) {
  if (word == "rack" || word == "leaf" || word == "block" || word == "switch") return "leaf";
  if (word == "node" || word == "host") return "node";
  if (word == "nvlink" || word == "nvlink_domain") return "nvlink";
  if (word == "pod" || word == "fabric" || word == "any") return word;
  throw Unsupported("topology level " + word);
}

std::string locality_text(const Json& topology) {
  Members members(topology, "topology");
  std::string text;
  if (const Json* level = members.find("required")) text = level_word(level->get<std::string>());
  if (const Json* level = members.find("preferred"))
    text += (text.empty() ? "prefer:" : ";prefer:") + level_word(level->get<std::string>());
  members.done();
  return text;
}

using Cells = std::map<std::string, std::string>;

/// Sizes over time: the first one is what it asks for, the others are wishes.
void set_sizes(const Json& job, const Json& requests, Cells& cells) {
  const double submit = job.at("submit").get<double>();
  cells["gpus"] = requests.at(0).at(1).dump();
  for (std::size_t i = 1; i < requests.size(); ++i)
    cells["size_requests"] += (i > 1 ? ";" : "") +
                              Json(requests[i].at(0).get<double>() - submit).dump() + ":" +
                              requests[i].at(1).dump();
}

/// One job as cells of canonical CSV, by column.
Cells cells_of(const Json& json, const JobDefaults& defaults) {
  Members job(json, "job");
  Cells cells;
  const auto copy = [&](const char* from, const char* column) {
    if (json.contains(from)) cells[column] = job.text(from);
  };
  copy("id", "job");
  copy("submit", "submit");
  copy("duration", "duration");
  copy("estimate", "estimate");
  copy("limit", "limit");
  copy("nodes", "nodes");
  copy("gpus_per_node", "gpus_per_node");
  copy("gpu_milli", "gpu_milli");
  copy("mig", "mig");
  copy("priority", "priority");
  copy("queue", "queue");
  copy("user", "user");
  copy("group", "group");
  copy("project", "project");
  copy("gpu_type", "gpu_type");
  copy("grace", "grace");
  copy("reservation", "reservation");
  copy("checkpoint_interval", "checkpoint_interval");
  copy("restart_overhead", "restart_cost");
  copy("start", "recorded_start");
  copy("end", "recorded_end");
  if (json.contains("cancel"))
    if (const Json* at = job.find("cancel"))
      cells["cancel"] = Json(at->get<double>() - json.at("submit").get<double>()).dump();
  if (const Json* before = job.find("depends_on")) {
    const Json list = before->is_array() ? *before : Json::array({*before});
    for (const Json& one : list)
      cells["depends_on"] += (cells["depends_on"].empty() ? "" : ";") + one.get<std::string>();
  }
  job.find("pin");  // see read_pins()
  copy("min_gpus", "min_gpus");
  copy("max_gpus", "max_gpus");
  if (json.contains("min_gpus") && !json.contains("gpus")) cells["gpus"] = job.text("min_gpus");
  if (const Json* sizes = job.find("size_requests")) set_sizes(json, *sizes, cells);
  if (const Json* work = job.find("work_gpu_s"))
    cells["duration"] = Json(work->get<double>() / std::stod(cells["gpus"])).dump();
  if (const Json* topology = job.find("topology")) cells["locality"] = locality_text(*topology);
  if (const Json* gpus = job.find("gpus")) {
    if (gpus->is_number_float() && gpus->get<double>() < 1) {
      cells["gpu_milli"] = std::to_string(std::llround(gpus->get<double>() * 1000));
    } else {
      cells["gpus"] = gpus->dump();
    }
  }
  if (const Json* tasks = job.find("tasks")) {
    cells["tasks"] = tasks_text(job, *tasks);
    cells.erase("gpus");
  }
  if (cells["checkpoint_interval"].empty()) cells["checkpoint_interval"] = defaults.checkpoint;
  if (cells["restart_cost"].empty()) cells["restart_cost"] = defaults.restart_overhead;
  for (const auto& [column, text] : cells)
    if (text.starts_with("@")) throw Unsupported("job key " + column + " left open");
  job.done();
  return cells;
}

std::string csv_of(const Json& jobs, const JobDefaults& defaults) {
  std::vector<Cells> rows;
  std::map<std::string, bool> columns;
  bool estimates = false;  // a case that never speaks of estimates is not warned about them
  for (const Json& job : jobs) {
    rows.push_back(cells_of(job, defaults));
    for (const auto& [column, text] : rows.back()) columns[column] |= !text.empty();
    estimates |= job.contains("estimate");
  }
  columns["estimate"] = estimates;
  columns["job"] = columns["submit"] = columns["duration"] = true;
  if (!columns["nodes"] && !columns["tasks"] && !columns["gpu_milli"] && !columns["mig"])
    columns["gpus"] = true;
  std::string text;
  const auto line = [&](auto cell) {
    std::string row;
    for (const auto& [column, used] : columns)
      if (used) row += "," + cell(column);
    text += row.substr(1) + "\n";
  };
  line([](const std::string& column) { return column; });
  for (const Cells& row : rows)
    line([&](const std::string& column) {
      const auto at = row.find(column);
      return at == row.end() ? std::string{} : quoted(at->second);
    });
  return text;
}

}  // namespace

Trace read_jobs(const Json& jobs, const JobDefaults& defaults, const std::string& time_zone,
                bool& rows_are_lines) {
  ReadOptions options;
  options.skip_bad_rows = true;
  options.time_zone = time_zone;
  if (jobs.is_array()) {
    options.format = "muster";
    Trace trace = read_trace_text(csv_of(jobs, defaults), "jobs", options);
    if (!trace.report.errors.empty()) throw InputError("jobs", trace.report.errors.front());
    return trace;
  }
  Members members(jobs, "jobs");
  const Json* rows = members.find("rows");
  const Json* text = nullptr;
  for (const auto& [key, value] : jobs.items()) {
    if (key == "rows") continue;
    text = members.find(key);
    options.format = key == "sacct_parsable" ? "sacct" : key;
  }
  if ((rows != nullptr) == (text != nullptr)) throw Unsupported("jobs in several forms");
  if (rows) {
    options.format = "muster";
    return read_trace_text(csv_of(*rows, defaults), "jobs", options);
  }
  if (!trace_formats().contains(options.format))
    throw Unsupported("trace format " + options.format);
  if (!text->is_array() && !text->is_string()) throw Unsupported("trace format " + options.format);
  rows_are_lines = true;
  return read_trace_text(text->is_string() ? text->get<std::string>() : joined(*text), "jobs",
                         options);
}

}  // namespace muster::cases
