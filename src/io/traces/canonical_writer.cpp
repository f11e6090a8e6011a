#include "muster/io/canonical_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "io/traces/muster_values.hpp"
#include "muster/core/int128.hpp"
#include "muster/io/text/csv.hpp"

namespace muster {
namespace {

using W = Workload;

/// Appends one field of one job; nothing if it is not known.
using Write = void (*)(const W&, JobId, std::string&);

void add_seconds(Duration d, std::string& line) { line += to_decimal(d.count(), 9); }
void add_text(const W& w, NameId id, std::string& line) {
  std::string text = csv_quoted(w.names[id]);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  line += text;
}
const Shape& shape_of(const W& w, JobId j) { return w.shapes[w.shape[j]]; }

template <IdVector<JobId, NameId> W::*column>
void write_name(const W& w, JobId j, std::string& line) {
  add_text(w, W::at_or(w.*column, j, NameId{}), line);
}
template <IdVector<JobId, Duration> W::*column>
void write_time(const W& w, JobId j, std::string& line) {
  const Duration d = W::at_or(w.*column, j, kUnknown);
  if (d == kUnlimited)
    line += "unlimited";
  else if (d != kUnknown)
    add_seconds(d, line);
}
template <IdVector<JobId, SimTime> W::Truth::*column>
void write_instant(const W& w, JobId j, std::string& line) {
  const SimTime t = W::at_or(w.truth.*column, j, kNever);
  if (t != kNever) add_seconds(t.time_since_epoch(), line);
}
template <IdVector<JobId, std::uint32_t> W::*column>
void write_count(const W& w, JobId j, std::string& line) {
  const std::uint32_t n = W::at_or(w.*column, j, 0U);
  if (n != 0) line += std::to_string(n);
}
template <IdVector<JobId, float> W::*column>
void write_amount(const W& w, JobId j, std::string& line) {
  const float value = W::at_or(w.*column, j, 0.0F);
  if (value == 0.0F) return;
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  line.append(text.data(), end);
}
template <std::uint32_t Shape::*field, std::uint32_t unused>
void write_shape(const W& w, JobId j, std::string& line) {
  const std::uint32_t n = shape_of(w, j).*field;
  if (n != unused) line += std::to_string(n);
}
template <NameId Shape::*field>
void write_shape_name(const W& w, JobId j, std::string& line) {
  add_text(w, shape_of(w, j).*field, line);
}
void write_depends(const W& w, JobId j, std::string& line) {
  const auto found = w.depends_on.find(j);
  if (found == w.depends_on.end()) return;
  std::string list;
  for (const JobId need : found->second)
    list += (list.empty() ? "" : ";") + std::string{w.id_text(need)};
  line += csv_quoted(list);
}

void write_sizes(const W& w, JobId j, std::string& line) {
  const auto found = w.size_requests.find(j);
  if (found == w.size_requests.end()) return;
  std::string list;
  for (const SizeRequest& wish : found->second)
    list += (list.empty() ? "" : ";") + to_decimal(wish.after.count(), 9) + ":" +
            std::to_string(wish.gpus);
  line += list;
}

void write_attempts(const W& w, JobId j, std::string& line) {
  for (std::size_t n = 0; n < w.failed_attempts(j); ++n) {
    if (n > 0) line += ";";
    add_seconds(w.attempt(j, n), line);
  }
}

struct Column {
  std::string_view name;
  Write write;
};

constexpr auto kColumns = std::to_array<Column>({
    {"job", [](const W& w, JobId j, std::string& line) { line += csv_quoted(w.id_text(j)); }},
    {"submit",
     [](const W& w, JobId j, std::string& line) { add_seconds(w.submit[j].time_since_epoch(), line); }},
    {"gpus",
     [](const W& w, JobId j, std::string& line) {
       const Shape& s = shape_of(w, j);
       if (s.gpus != 0) line += std::to_string(s.mig != 0 ? 1 : s.gpus);
     }},
    {"duration",
     [](const W& w, JobId j, std::string& line) { add_seconds(w.truth.duration[j], line); }},
    {"user", write_name<&W::user>},
    {"group", write_name<&W::group>},
    {"queue", write_name<&W::queue>},
    {"project", write_name<&W::project>},
    {"priority",
     [](const W& w, JobId j, std::string& line) {
       if (const auto p = W::at_or(w.priority, j, 0); p != 0) line += std::to_string(p);
     }},
    {"qos",
     [](const W& w, JobId j, std::string& line) {
       if (const auto q = W::at_or(w.qos, j, Qos::normal); q != Qos::normal) line += name(q);
     }},
    {"nodes", write_shape<&Shape::nodes, 0>},
    {"gpu_milli",
     [](const W& w, JobId j, std::string& line) {
       const Shape& s = shape_of(w, j);
       if (s.mig == 0 && s.milli != 1000) line += std::to_string(s.milli);
     }},
    {"mig",
     [](const W& w, JobId j, std::string& line) {
       if (const MigId mig = shape_of(w, j).mig; mig != 0) line += mig_profile(mig).name;
     }},
    {"tasks", write_shape_name<&Shape::tasks>},
    {"gpu_type", write_shape_name<&Shape::types>},
    {"locality",
     [](const W& w, JobId j, std::string& line) { line += locality_text(shape_of(w, j)); }},
    {"cpus", write_amount<&W::cpus>},
    {"memory_gb", write_amount<&W::memory_gb>},
    {"estimate", write_time<&W::estimate>},
    {"limit", write_time<&W::limit>},
    {"min_gpus", write_count<&W::min_gpus>},
    {"max_gpus", write_count<&W::max_gpus>},
    {"size_requests", write_sizes},
    {"model", write_name<&W::model>},
    {"checkpoint_interval", write_time<&W::checkpoint_interval>},
    {"checkpoint_cost", write_time<&W::checkpoint_cost>},
    {"restart_cost", write_time<&W::restart_cost>},
    {"grace",
     [](const W& w, JobId j, std::string& line) {
       if (const auto g = W::at_or(w.grace, j, Duration{}); g != Duration{}) add_seconds(g, line);
     }},
    {"deadline", write_time<&W::deadline>},
    {"reservation", write_shape_name<&Shape::reservation>},
    {"depends_on", write_depends},
    {"cancel", write_time<&W::cancel>},
    {"recorded_start", write_instant<&W::Truth::recorded_start>},
    {"recorded_end", write_instant<&W::Truth::recorded_end>},
    {"failed_attempts", write_attempts},
    {"outcome",
     [](const W& w, JobId j, std::string& line) {
       const auto o = W::at_or(w.truth.outcome, j, Outcome::completed);
       if (o != Outcome::completed) line += name(o);
     }},
    {"kind", write_name<&W::kind>},
});

constexpr std::size_t kAlwaysWritten = 4;

std::vector<Column> columns_in_use(const W& w) {
  std::vector<Column> used(kColumns.begin(), kColumns.begin() + kAlwaysWritten);
  std::string field;
  for (const Column& column : std::span{kColumns}.subspan(kAlwaysWritten)) {
    field.clear();
    for (std::uint32_t j = 0; j < w.size() && field.empty(); ++j) column.write(w, JobId{j}, field);
    if (!field.empty()) used.push_back(column);
  }
  return used;
}

std::vector<JobId> trace_order(const W& w) {
  std::vector<JobId> order;
  order.reserve(w.size());
  for (std::uint32_t j = 0; j < w.size(); ++j) order.push_back(JobId{j});
  std::stable_sort(order.begin(), order.end(),
                   [&](JobId a, JobId b) { return w.row[a] < w.row[b]; });
  return order;
}

}  // namespace

void write_canonical(const Workload& w, std::ostream& out) {
  if (w.origin_unix_ns != INT64_MIN) out << "# origin_unix_ns: " << w.origin_unix_ns << '\n';
  const std::vector<Column> columns = columns_in_use(w);
  std::string line;
  for (const Column& column : columns) {
    if (!line.empty()) line += ',';
    line += column.name;
  }
  out << line << '\n';
  for (const JobId job : trace_order(w)) {
    line.clear();
    bool first = true;
    for (const Column& column : columns) {
      if (!first) line += ',';
      first = false;
      column.write(w, job, line);
    }
    line += '\n';
    out << line;
  }
}

}  // namespace muster
