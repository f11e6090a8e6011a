#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/io/text/cell.hpp"
#include "muster/io/text/lines.hpp"
#include "muster/io/text/time_zone.hpp"
#include "muster/io/trace.hpp"

namespace muster {

class TraceInput;

/// The beginning of a trace, for telling its format.
struct TraceHead {
  std::string_view name;  // of the file
  std::string_view text;  // its first 64 KiB or less
  /// The first line that is neither empty nor begins with `comment`.
  std::string_view first_line(char comment = '\0') const;
};

/// A format of traces: what a reader's file registers.
struct TraceFormat {
  struct Option {
    std::string name, what;
    std::string otherwise;  // its value if not given
  };
  std::string description;  // one paragraph
  std::vector<Option> options;
  /// 0: certainly not this format; the larger, the surer.
  int (*recognise)(const TraceHead&) = nullptr;
  void (*read)(TraceInput&) = nullptr;
};

/// How sure a reader is.
inline constexpr int kPerhaps = 20, kLikely = 50, kCertain = 90;

/// All formats, ordered by name.
std::map<std::string, TraceFormat, std::less<>>& trace_formats();

/// Put one of these in a reader's .cpp and the format exists: no other file changes.
struct RegisterTraceFormat {
  RegisterTraceFormat(std::string name, TraceFormat format) {
    trace_formats()[std::move(name)] = std::move(format);
  }
};

/// What a reader works with: the text, the options, and the one place where rows are accounted for.
class TraceInput {
 public:
  using Opener = std::function<std::unique_ptr<ByteSource>(const std::string&)>;

  TraceInput(LineReader& text, const ReadOptions& read_options, const TraceFormat& format,
             TraceReport& trace_report, Opener open_other)
      : lines(text),
        options(read_options),
        report(trace_report),
        jobs(trace_report),
        format_(format),
        open_other_(std::move(open_other)) {}

  LineReader& lines;
  const ReadOptions& options;
  TraceReport& report;
  WorkloadBuilder jobs;

  /// Reads one row: `read` fills a JobRow, and may call skip() for it or throw RowError. What it
  /// neither skips nor throws about becomes a job.
  template <class Read>
  void row(std::uint64_t line, const Read& read) {
    JobRow job;
    job.line = line;
    begin_row();
    try {
      read(job);
      end_row(job);
    } catch (const RowError& error) {
      reject(job, error);
    }
  }

  /// Every row of a table (TraceTable, or another with next(), check() and line()).
  template <class Table, class Read>
  void rows(Table& table, const Read& read) {
    while (table.next())
      row(table.line(), [&](JobRow& job) {
        table.check();
        read(job);
      });
  }

  /// A row that became a job at once. False, and nothing has happened, if that must be looked at more
  /// closely: call row(). An empty id is numbered.
  bool plain_row(PlainRow& job);

  /// The row is left out on purpose.
  void skip(const JobRow& job, std::string_view code, std::string_view meaning);
  /// The row is replayed, but this must be said of it; forgotten if it is rejected after all.
  void warn(const JobRow& job, std::string_view code, std::string_view meaning,
            std::string_view value = {});
  /// The usual reason to skip a row.
  void skip_cpu_only(const JobRow& job) { skip(job, "cpu_only", "asks for no GPU: left out"); }
  bool skipped() const { return skipped_; }

  /// A date and time as Unix time. Wall times are taken in --time-zone, or else in `zone_otherwise`
  /// (empty: then they are an error).
  Duration instant(Cell cell, const JobRow& job, std::string_view zone_otherwise);

  /// The value of one of the format's options; its default if it is not given.
  std::string option(std::string_view name) const;
  bool has_option(std::string_view name) const { return options.extra.contains(std::string{name}); }
  /// An option that must be one of `choices`.
  std::string choice(std::string_view name, const std::vector<std::string>& choices) const;

  /// Another file, named as the user named it or as a neighbour of the trace.
  std::unique_ptr<ByteSource> open_other(const std::string& file) const {
    return open_other_(file);
  }

  /// Times keep the zero they have in the file, unless they can only be Unix times. Otherwise the
  /// first submit becomes the origin.
  void keep_clock() { keep_clock_ = true; }
  /// The same, unasked: the trace says what its zero is.
  void keep_origin() { keep_origin_ = true; }

  /// Makes the workload, or throws if there were bad rows (and they may not be dropped).
  Workload finish();

 private:
  void begin_row();
  void end_row(JobRow& job);
  std::string_view number_of_row(std::uint64_t row);
  void reject(const JobRow& job, const RowError& error);
  void refuse_bad_rows() const;
  void refuse_no_jobs() const;

  const TraceFormat& format_;
  Opener open_other_;
  std::optional<TimeZone> zone_;
  struct Warning {
    std::string_view code, meaning;
    std::string value;
  };
  std::vector<Warning> pending_;       // of the row being read
  std::array<char, 20> row_number_{};  // the id of a row that has none
  std::size_t digits_ = 0;             // of it
  std::uint64_t numbered_ = 0;         // which row that is
  bool skipped_ = false;
  bool keep_clock_ = false, keep_origin_ = false;
};

/// Throws a RowError about a cell.
[[noreturn]] void bad_cell(Cell cell, std::string expected, std::string code = "bad_value");

}  // namespace muster
