#pragma once
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "catch.hpp"
#include "muster/io/text/number.hpp"
#include "muster/io/trace.hpp"
#include "muster/io/trace_table.hpp"
#include "support/simulation.hpp"

namespace muster::test {

/// Schedules that other simulators made, job by job, live outside of the repository. Where they are
/// not, tests of them say so and check nothing.
inline std::filesystem::path outside(const char* variable, const char* folder) {
  const char* said = std::getenv(variable);
  return said ? std::filesystem::path{said}
              : std::filesystem::path{MUSTER_SOURCE_DIR} / ".." / "shared" / folder;
}
inline std::filesystem::path oracles() { return outside("MUSTER_ORACLES", "oracles"); }
inline std::filesystem::path traces() { return outside("MUSTER_TRACES", "traces"); }

/// False, with a line on the screen, if the file is not there.
inline bool present(const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) return true;
  WARN("skipped: there is no " << file.string()
                               << " (MUSTER_ORACLES and MUSTER_TRACES say where to look)");
  return false;
}

/// Starts by job (or other times), from a column of a CSV file; `unit` of its times.
inline std::map<std::string, SimTime> peer_starts(const std::filesystem::path& file,
                                                  const char* job_column, Duration unit,
                                                  const char* time_column = "start") {
  LineReader lines(open_bytes(file));
  TraceTable table(lines);
  table.read_header();
  const auto job = table.column(job_column), start = table.column(time_column);
  std::map<std::string, SimTime> starts;
  while (table.next()) {
    // Some peers write whole numbers with a fraction of zero.
    const std::string text{table[start].text.substr(0, table[start].text.find('.'))};
    starts[std::string{table[job].text}] = SimTime{unit * parse_integer(text).value()};
  }
  return starts;
}

/// How many jobs start (or end) at another time than the peer's, and the first of them.
struct Differences {
  std::size_t compared = 0, differ = 0;
  std::string first;
};
inline Differences compare(const Workload& w, const IdVector<JobId, SimTime>& ours,
                           const std::map<std::string, SimTime>& peer) {
  Differences d;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const auto theirs = peer.find(std::string{w.id_text(JobId{i})});
    if (theirs == peer.end()) continue;
    ++d.compared;
    if (ours[JobId{i}] == theirs->second) continue;
    if (d.differ++ == 0)
      d.first = "job " + theirs->first + ": peer " + std::to_string(seconds(theirs->second)) +
                " s, here " + std::to_string(seconds(ours[JobId{i}])) + " s";
  }
  return d;
}
inline Differences compare(const Workload& w, const Timetable& ours,
                           const std::map<std::string, SimTime>& peer) {
  return compare(w, ours.start, peer);
}

inline Timetable timetable(const Fleet& fleet, const Workload& w, const std::string& spec,
                           const EngineOptions& options, RunSummary* summary = nullptr) {
  const auto p = policy(spec);
  Timetable times(w.size());
  const RunSummary run = simulate(fleet, w, *p, options, times);
  if (summary) *summary = run;
  return times;
}

}  // namespace muster::test
