#include "cli/trace_text.hpp"

#include <spdlog/fmt/fmt.h>

#include "muster/core/int128.hpp"

namespace muster::cli {
namespace {

using Notes = std::vector<TraceReport::Note>;

/// "8 skipped (7 cpu_only, 1 no_gpus)"
std::string part(std::uint64_t total, std::string_view what, const Notes& notes) {
  std::string text = fmt::format("{} {}", total, what);
  std::string why;
  for (const TraceReport::Note& note : notes)
    why += fmt::format("{}{} {}", why.empty() ? "" : ", ", note.count, note.code);
  return why.empty() ? text : text + " (" + why + ")";
}

std::string places(const TraceReport::Note& note) {
  if (note.lines.empty()) return {};
  std::string text = note.lines.size() == 1 ? "line " : "lines ";
  for (std::size_t i = 0; i < note.lines.size(); ++i)
    text += (i ? ", " : "") + std::to_string(note.lines[i]);
  return " [" + text + (note.count > note.lines.size() ? ", ...]" : "]");
}

}  // namespace

std::string rows_line(const TraceReport& report) {
  return fmt::format("{} ({}): {} rows: {} replayed, {}, {}\n", report.source, report.format,
                     report.rows, report.replayed,
                     part(report.total(report.skipped), "skipped", report.skipped),
                     part(report.total(report.rejected), "rejected", report.rejected));
}

std::string notes_text(const TraceReport& report) {
  std::string text;
  const auto list = [&](std::string_view kind, const Notes& notes) {
    for (const TraceReport::Note& note : notes)
      text += fmt::format("  {:8} {:>8}  {}: {}{}\n", kind, note.count, note.code, note.meaning,
                          places(note));
  };
  list("skipped", report.skipped);
  list("rejected", report.rejected);
  list("warning", report.warnings);
  for (const std::string& error : report.errors) text += "  " + error + "\n";
  return text;
}

std::string gpus_text(std::int64_t milli) { return to_decimal(milli, 3); }

}  // namespace muster::cli
