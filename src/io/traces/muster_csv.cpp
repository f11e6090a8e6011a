// muster: the canonical CSV, the one format that says all that can be replayed.

#include <algorithm>
#include <array>
#include <string>

#include "io/traces/column_words.hpp"
#include "io/traces/muster_columns.hpp"
#include "io/traces/plain_rows.hpp"
#include "io/traces/throughputs_csv.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

/// "# origin_unix_ns: 1700000000000000000" before the header: what the file's time zero is. Written
/// by write_canonical(), so that a workload survives the way through a file.
constexpr std::string_view kOriginMark = "# origin_unix_ns: ";

/// Rows for which room is made before they are read: longer traces make it as they come.
constexpr std::uint64_t kMostReserved = 50'000'000;

int recognise(const TraceHead& head) {
  CsvLine fields;
  if (!fields.split(head.first_line('#'), ',')) return 0;
  int known = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (const std::string_view name : {"job", "submit", "gpus", "duration"})
      known += fields.trim(i) == name ? 1 : 0;
  return known >= 3 ? kLikely : known == 2 ? kPerhaps : 0;
}

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const MusterColumn& column : muster_columns()) names.emplace_back(column.name);
  return names;
}

/// One column that is not known is a slip; several are somebody else's header.
[[noreturn]] void refuse_columns(const std::vector<std::string>& unknown, const TraceTable& table,
                                 const std::string& where) {
  const std::string meant = canonical_column(unknown.front());
  std::string advice = did_you_mean(unknown.front(), column_names());
  if (!meant.empty()) advice = "did you mean \"" + meant + "\"?";
  std::string line;
  for (const std::string& name : table.header()) line += (line.empty() ? "" : ",") + name;
  if (unknown.size() > 1)
    if (const std::string all = header_advice(line); !all.empty()) advice = all;
  throw InputError(where, "there is no column " + in_quotes(unknown.front()) + " in this format",
                   advice);
}

void check_header(const TraceTable& table, const LineReader& lines) {
  const std::vector<std::string> known = column_names();
  std::vector<std::string> unknown;
  for (const std::string& name : table.header())
    if (std::find(known.begin(), known.end(), name) == known.end()) unknown.push_back(name);
  if (!unknown.empty()) refuse_columns(unknown, table, lines.where());
  const auto has = [&](std::string_view name) { return table.find(name).exists(); };
  const auto need = [&](bool fulfilled, const std::string& what) {
    if (!fulfilled)
      throw InputError(lines.where(), "there is no column " + what,
                       "the least that is needed: job,submit,gpus,duration");
  };
  need(has("submit"), "\"submit\"");
  need(has("gpus") || has("nodes") || has("tasks") || has("gpu_milli") || has("mig"), "\"gpus\"");
  need(has("duration") || has("work"), "\"duration\"");
}

void read_origin(TraceInput& in) {
  const std::string_view head = in.lines.ahead();
  if (!head.starts_with(kOriginMark)) return;
  const std::size_t end = head.find_first_of("\r\n");
  const auto unix_ns = parse_integer(
      head.substr(kOriginMark.size(), std::min(end, head.size()) - kOriginMark.size()));
  if (!unix_ns)
    throw InputError(in.lines.name() + ":1",
                     "origin_unix_ns: expected a whole number of nanoseconds");
  in.jobs.counts_from(*unix_ns);
  in.keep_origin();
}

void read(TraceInput& in) {
  read_origin(in);
  TraceTable table(in.lines, ',', '#');
  table.read_header();
  check_header(table, in.lines);
  struct Used {
    TraceTable::Column column;
    MusterColumn::Set set;
  };
  std::vector<Used> used;
  for (const MusterColumn& column : muster_columns())
    if (const auto found = table.find(column.name); found.exists())
      used.push_back({found, column.set});

  in.keep_clock();
  in.jobs.refuse_duplicates();
  in.jobs.reserve(std::min<std::uint64_t>(in.lines.expected(), kMostReserved));
  MusterRow reading{in};
  const PlainRows plain(table.header());
  PlainRow short_row;
  while (table.next_line()) {
    if (plain.read(table.text(), short_row) && in.lines.valid_utf8(table.text()) &&
        reading.counts()) {
      short_row.line = table.line();
      if (in.plain_row(short_row)) continue;
    }
    table.split();
    in.row(table.line(), [&](JobRow& row) {
      table.check();
      reading.begin(row);
      for (const Used& u : used) u.set(reading, table[u.column]);
      reading.finish();
    });
  }
  if (reading.dates) in.jobs.counts_from(0);
  if (in.has_option("throughputs")) read_throughputs(in);
}

const RegisterTraceFormat registered{
    "muster",
    {.description =
         "The canonical CSV: a header line, one job per row, columns in any order. "
         "job,submit,gpus,duration are enough; an empty field means not known. Every other format "
         "can be converted to it.",
     .options = {{"iterations_per_s", "turns the column work into a duration", ""},
                 {"throughputs",
                  "steps per second of models by type of GPU: a CSV of "
                  "model,gpus,gpu_type,steps_per_s",
                  ""},
                 {"reference",
                  "type of GPU on which the durations hold; not given: that of the "
                  "first row of throughputs",
                  ""}},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
