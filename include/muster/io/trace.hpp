#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "muster/workload/builder.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

struct ReadOptions {
  std::string format;          // a reader's name; "" = recognise by content
  bool skip_bad_rows = false;  // false: the first bad row is an InputError that counts the others
  std::string time_zone;       // IANA name or +08:00, for wall times without a zone
  std::map<std::string, std::string> extra;  // reader's own options, see TraceReader::options
};

struct Trace {
  Workload workload;
  TraceReport report;
};

/// Reads a trace file (plain, .gz or .zst; "-" = standard input), streaming: the text is never held
/// as a whole. Throws InputError with file and line.
Trace read_trace(const std::filesystem::path& file, const ReadOptions& options = {});

}  // namespace muster
