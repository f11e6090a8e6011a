#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "muster/core/error.hpp"
#include "muster/io/canonical_writer.hpp"
#include "muster/io/trace.hpp"

/// What the trace fuzzers share. A reader may refuse any input with an InputError; it may not crash,
/// lose a row, or make a workload that can't be written and read again.
namespace muster::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void check_round_trip(const Workload& w) {
  std::ostringstream csv;
  write_canonical(w, csv);
  ReadOptions options;
  options.format = "muster";
  const Trace again = read_trace_text(csv.str(), "again.csv", options);
  require(again.workload.submit.items() == w.submit.items());
  require(again.workload.truth.duration.items() == w.truth.duration.items());
  require(again.workload.truth.failed_attempts == w.truth.failed_attempts);
  require(again.workload.estimate.items() == w.estimate.items());
}

inline int read_anything(const std::uint8_t* data, std::size_t size, const ReadOptions& options,
                         const NamedTexts& beside = {}) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  Trace trace;
  try {
    trace = read_trace_text(text, "t", options, beside);
  } catch (const InputError&) {
    return 0;
  }
  const TraceReport& r = trace.report;
  require(r.rows == r.replayed + r.total(r.skipped) + r.total(r.rejected));
  require(trace.workload.size() == r.replayed && r.replayed > 0);
  if (trace.workload.depends_on.empty()) check_round_trip(trace.workload);
  return 0;
}

inline ReadOptions lenient(std::string format) {
  ReadOptions options;
  options.format = std::move(format);
  options.skip_bad_rows = true;
  options.time_zone = "America/Los_Angeles";
  return options;
}

}  // namespace muster::fuzz
