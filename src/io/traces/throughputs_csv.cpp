#include "io/traces/throughputs_csv.hpp"

#include <array>
#include <charconv>
#include <string>

#include "muster/core/error.hpp"
#include "muster/io/text/csv.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kColumns{"model", "gpus", "gpu_type", "steps_per_s"};

std::string_view name_in(Cell cell) {
  if (cell.empty()) bad_cell(cell, "a name");
  return cell.text;
}

double steps_per_s(Cell cell) {
  const auto value = parse_real(cell.text);
  if (!value || *value < 0 || *value > 1e12) bad_cell(cell, "steps per second, from 0 to 1e12");
  return *value;
}

}  // namespace

void read_throughputs(TraceInput& in) {
  LineReader lines(in.open_other(in.option("throughputs")));
  TraceTable table(lines, ',', '#');
  table.read_header();
  std::array<TraceTable::Column, 4> column;
  for (std::size_t i = 0; i < kColumns.size(); ++i) column[i] = table.column(kColumns[i]);
  const TraceTable::Column nodes = table.find("nodes");
  std::string reference = in.option("reference");
  while (table.next()) {
    try {
      table.check();
      const std::string_view type = name_in(table[column[2]]);
      if (reference.empty()) reference = type;
      in.jobs.throughput(name_in(table[column[0]]), type,
                         static_cast<std::uint32_t>(whole(table[column[1]], 1, kMostGpus)),
                         steps_per_s(table[column[3]]),
                         static_cast<std::uint32_t>(whole_or(table[nodes], 1, kMostGpus, 0)));
    } catch (const RowError& error) {
      throw InputError(lines.where(), error.column + ": expected " + error.expected + ", got " +
                                          in_quotes(error.got));
    }
  }
  if (!in.jobs.reference_type(reference))
    throw InputError(lines.name(),
                     "has no row for the type " + in_quotes(reference) +
                         ", on which the durations of the trace are said to hold",
                     "--reader-option reference=TYPE names it");
  in.report.facts["throughputs"] = lines.name();
}

void write_throughputs(const Workload& w, std::ostream& out) {
  const bool nodes = w.throughputs.scales();
  out << "model,gpus,gpu_type,steps_per_s" << (nodes ? ",nodes\n" : "\n");
  const auto write = [&](bool reference) {
    for (const auto& [key, steps] : w.throughputs.rows()) {
      if ((key.type == w.throughputs.reference) != reference) continue;
      std::array<char, 32> number{};
      const auto end = std::to_chars(number.data(), number.data() + number.size(), steps).ptr;
      out << csv_quoted(w.names[key.model]) << ',' << key.gpus << ','
          << csv_quoted(w.names[key.type]) << ',' << std::string_view{number.data(), end};
      if (nodes) out << ',' << key.nodes;
      out << '\n';
    }
  };
  write(true);  // the type of the first row is the reference
  write(false);
}

}  // namespace muster
