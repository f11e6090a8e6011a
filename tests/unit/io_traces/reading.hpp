#pragma once
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/core/error.hpp"
#include "muster/io/trace.hpp"

/// What the tests of trace readers share.
namespace muster::test {

inline ReadOptions with(std::map<std::string, std::string> extra) {
  ReadOptions options;
  options.extra = std::move(extra);
  return options;
}
inline ReadOptions skipping_bad_rows() {
  ReadOptions options;
  options.skip_bad_rows = true;
  return options;
}
inline ReadOptions in_zone(std::string zone) {
  ReadOptions options;
  options.time_zone = std::move(zone);
  return options;
}
inline ReadOptions in_format(std::string format) {
  ReadOptions options;
  options.format = std::move(format);
  return options;
}

/// The whole message a text is refused with; "accepted" if it is not.
inline std::string refusal(std::string_view text, const ReadOptions& options = {},
                           const NamedTexts& beside = {}) {
  try {
    read_trace_text(text, "t.csv", options, beside);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

inline const TraceReport::Note* find(const std::vector<TraceReport::Note>& notes,
                                     std::string_view code) {
  for (const TraceReport::Note& note : notes)
    if (note.code == code) return &note;
  return nullptr;
}
inline std::uint64_t count(const std::vector<TraceReport::Note>& notes, std::string_view code) {
  const auto* note = find(notes, code);
  return note == nullptr ? 0 : note->count;
}

inline bool every_row_is_accounted_for(const TraceReport& r) {
  return r.rows == r.replayed + r.total(r.skipped) + r.total(r.rejected);
}

inline std::vector<std::string> ids(const Workload& w) {
  std::vector<std::string> all;
  for (std::uint32_t j = 0; j < w.size(); ++j) all.emplace_back(w.id_text(JobId{j}));
  return all;
}
inline JobId job(const Workload& w, std::string_view id) {
  for (std::uint32_t j = 0; j < w.size(); ++j)
    if (w.id_text(JobId{j}) == id) return JobId{j};
  throw std::runtime_error("no job " + std::string{id});
}
inline const Shape& shape(const Workload& w, std::string_view id) {
  return w.shapes[w.shape[job(w, id)]];
}
inline Duration run_time(const Workload& w, std::string_view id) {
  return w.truth.duration[job(w, id)];
}
inline SimTime submit(const Workload& w, std::string_view id) { return w.submit[job(w, id)]; }
inline std::string user(const Workload& w, std::string_view id) {
  return std::string{w.names[w.user[job(w, id)]]};
}
inline std::string queue(const Workload& w, std::string_view id) {
  return std::string{w.names[w.queue[job(w, id)]]};
}
inline Outcome outcome(const Workload& w, std::string_view id) {
  return Workload::at_or(w.truth.outcome, job(w, id), Outcome::completed);
}
inline Duration wait(const Workload& w, std::string_view id) {
  return w.truth.recorded_start[job(w, id)] - submit(w, id);
}

inline std::map<std::uint32_t, std::size_t> gpu_histogram(const Workload& w) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const ShapeId s : w.shape) ++counts[w.shapes[s].gpus];
  return counts;
}
inline Duration duration_quantile(const Workload& w, double q) {
  std::vector<Duration> sorted = w.truth.duration.items();
  std::sort(sorted.begin(), sorted.end());
  return sorted.at(static_cast<std::size_t>(q * static_cast<double>(sorted.size())));
}

/// A real trace, or nothing (and a line that says so) where the traces are not.
inline std::optional<std::filesystem::path> real_trace(std::string_view name) {
  const char* elsewhere = std::getenv("MUSTER_TRACES");
  const std::filesystem::path root =
      elsewhere != nullptr ? std::filesystem::path{elsewhere}
                           : std::filesystem::path{MUSTER_SOURCE_DIR} / ".." / "shared" / "traces";
  const std::filesystem::path file = root / name;
  if (std::filesystem::exists(file)) return file;
  std::cout << "SKIPPED " << name << ": not in " << root.string()
            << " (MUSTER_TRACES names the folder)\n";
  return std::nullopt;
}

}  // namespace muster::test
