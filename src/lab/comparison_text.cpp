#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "muster/lab/compare.hpp"

namespace muster {
namespace {

std::string right(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string decimal(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string time_cell(const Statistics& s, std::int64_t ns) {
  return s.count == 0 ? "-" : length_text(Duration{ns});
}

std::string gpu_hours(const Summary& s, GpuClass c) {
  return decimal(static_cast<double>(s.gpu_time[static_cast<std::size_t>(c)]) / 3600e12, 0);
}

struct Column {
  std::string_view name;
  std::string (*cell)(const Summary&);
  /// Whether a run has something to tell there; null: all have. Shown where one does.
  bool (*told)(const Summary&) = nullptr;
};

bool some_ended(const Summary& s) { return s.all.bounded_slowdown.count > 0; }

constexpr Column kColumns[] = {
    {"wait p50", [](const Summary& s) { return time_cell(s.all.wait, s.all.wait.p50); }},
    {"wait p95", [](const Summary& s) { return time_cell(s.all.wait, s.all.wait.p95); }},
    {"wait p99", [](const Summary& s) { return time_cell(s.all.wait, s.all.wait.p99); }},
    {"JCT mean", [](const Summary& s) { return time_cell(s.all.jct, s.all.jct.mean); }},
    {"JCT p95", [](const Summary& s) { return time_cell(s.all.jct, s.all.jct.p95); }},
    {"slowdown",
     [](const Summary& s) -> std::string {
       if (!some_ended(s)) return "-";
       return decimal(static_cast<double>(s.all.bounded_slowdown.mean) * 1e-9, 1);
     }},
    {"util.", [](const Summary& s) { return percent_text(share(s.allocated(), s.available())); }},
    {"goodput",
     [](const Summary& s) { return percent_text(share(s.useful_gpu_time, s.available())); }},
    {"fairness",
     [](const Summary& s) { return some_ended(s) ? decimal(s.fairness, 3) : std::string{"-"}; }},
    {"preempted", [](const Summary& s) { return std::to_string(s.preemptions); }},
    {"lost GPU-h", [](const Summary& s) { return gpu_hours(s, GpuClass::lost); }},
    {"network GPU-h", [](const Summary& s) { return gpu_hours(s, GpuClass::run_comm); },
     [](const Summary& s) {
       return s.gpu_time[static_cast<std::size_t>(GpuClass::run_comm)] != 0;
     }},
    {"killed", [](const Summary& s) { return std::to_string(s.count(JobState::timeout)); },
     [](const Summary& s) { return s.count(JobState::timeout) != 0; }},
    {"rejected", [](const Summary& s) { return std::to_string(s.rejected); },
     [](const Summary& s) { return s.rejected != 0; }}};

std::vector<Column> columns_for(std::span<const Compared> runs) {
  std::vector<Column> shown;
  for (const Column& column : kColumns) {
    const auto tells = [&](const Compared& run) {
      return run.summary && column.told(*run.summary);
    };
    if (column.told == nullptr || std::any_of(runs.begin(), runs.end(), tells))
      shown.push_back(column);
  }
  return shown;
}

/// Runs that came to their end first, by mean turnaround; then those in which no job did; then the
/// others as they were named.
std::vector<const Compared*> ranked(std::span<const Compared> runs) {
  std::vector<const Compared*> order;
  for (const Compared& run : runs) order.push_back(&run);
  const auto place = [](const Compared* run) -> std::pair<int, std::int64_t> {
    if (!comparison_note(*run).empty()) return {2, 0};
    const Statistics& jct = run->summary->all.jct;
    return {jct.count == 0 ? 1 : 0, jct.mean};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Compared* a, const Compared* b) { return place(a) < place(b); });
  return order;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What the runs warn of, each text once, and whose runs do unless all do.
std::string warnings(std::span<const Compared* const> order) {
  constexpr std::size_t kSaid = 5;
  std::map<std::string, std::vector<std::string>> named;
  std::vector<std::string> met;
  std::size_t runs = 0;
  for (const Compared* run : order) {
    if (!run->summary) continue;
    ++runs;
    for (const std::string& text : run->summary->warnings) {
      if (named[text].empty()) met.push_back(text);
      named[text].push_back(run->policy);
    }
  }
  std::string lines;
  for (const std::string& text : met) {
    const std::vector<std::string>& names = named[text];
    lines += "warning: " + text;
    if (names.size() < runs)
      lines += " (" +
               (names.size() <= kSaid
                    ? joined(names)
                    : std::to_string(names.size()) + " of " + std::to_string(runs) + " runs") +
               ")";
    lines += "\n";
  }
  return lines;
}

/// Policies that decided alike from the first start to the last, a line for each such set: why rows are equal.
std::string same_schedules(std::span<const Compared* const> order) {
  std::map<std::uint64_t, std::vector<std::string>> named;
  std::vector<std::uint64_t> met;
  for (const Compared* run : order) {
    if (!comparison_note(*run).empty()) continue;
    std::vector<std::string>& names = named[run->summary->fingerprint];
    if (names.empty()) met.push_back(run->summary->fingerprint);
    names.push_back(run->policy);
  }
  std::string text;
  for (const std::uint64_t fingerprint : met) {
    const std::vector<std::string>& names = named[fingerprint];
    if (names.size() > 1) text += "the same schedule, start by start: " + joined(names) + "\n";
  }
  return text;
}

}  // namespace

std::string comparison_note(const Compared& run) {
  if (!run.summary) return run.refusal.substr(0, run.refusal.find('\n'));
  if (run.over_time)
    return "stopped for its time after " + length_text(run.summary->window()) + " of the trace";
  if (run.summary->stopped_early && !run.summary->findings.empty())
    return run.summary->findings.back().text;
  return run.summary->stopped_early ? "stopped early" : "";
}

std::string comparison_text(std::span<const Compared> runs, const TextOptions& options) {
  const std::vector<const Compared*> order = ranked(runs);
  const std::vector<Column> columns = columns_for(runs);
  std::size_t widest = 6;
  std::vector<std::size_t> width;
  for (const Column& column : columns) {
    width.push_back(column.name.size());
    for (const Compared* run : order)
      if (run->summary) width.back() = std::max(width.back(), column.cell(*run->summary).size());
  }
  for (const Compared* run : order) widest = std::max(widest, run->policy.size());

  const auto faint = [&](const std::string& text) {
    return options.colour ? "\x1b[2m" + text + "\x1b[0m" : text;
  };
  std::string head = "policy" + std::string(widest - 6, ' ');
  for (std::size_t c = 0; c < columns.size(); ++c)
    head += "  " + right(std::string{columns[c].name}, width[c]);
  std::string text = faint(head + "  CPU s") + "\n";
  std::string notes;
  for (const Compared* run : order) {
    std::string line = run->policy + std::string(widest - run->policy.size(), ' ');
    const std::string note = comparison_note(*run);
    if (run->summary) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        line += "  " + right(columns[c].cell(*run->summary), width[c]);
      line += "  " + right(decimal(run->cpu_s, 1), 5);
    }
    if (!note.empty()) {
      line += run->summary ? "  (see below)" : "  did not run (see below)";
      notes += run->policy + ": " + note + "\n";
    }
    text += line + "\n";
  }
  notes += same_schedules(order) + warnings(order);
  return notes.empty() ? text : text + "\n" + notes;
}

}  // namespace muster
