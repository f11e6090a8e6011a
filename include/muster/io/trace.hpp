#pragma once
#include <filesystem>
#include <functional>
#include <map>
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

/// Texts by name, standing in for the files of a folder.
using NamedTexts = std::map<std::string, std::string_view, std::less<>>;

/// The same for a trace in memory. `name` stands for the file in messages; `beside` are the further
/// tables of formats that join several.
Trace read_trace_text(std::string_view text, std::string_view name, const ReadOptions& options = {},
                      const NamedTexts& beside = {});

}  // namespace muster
