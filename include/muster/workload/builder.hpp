#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/workload/workload.hpp"

namespace muster {

/// One row as a reader understood it, all optional fields at "not known". Readers and generators
/// fill one of these per job and hand it to WorkloadBuilder.
struct JobRow {
  std::string_view job;  // the trace's id; empty = the builder numbers it by row
  Duration submit{};     // since whatever the trace counts from; may be negative or an absolute epoch
  Duration duration{};
  Shape shape;
  std::string_view types;  // -> shape.types
  std::string_view tasks;  // -> shape.tasks
  Duration estimate = kUnknown, limit = kUnknown, cancel = kUnknown, deadline = kUnknown;
  Duration checkpoint_interval = kUnknown, checkpoint_cost = kUnknown, restart_cost = kUnknown;
  Duration grace{};
  std::string_view user, group, queue, project, model, kind;
  std::int32_t priority = 0;
  Qos qos = Qos::normal;
  std::uint32_t min_gpus = 0, max_gpus = 0;
  float cpus = 0, memory_gb = 0;
  Outcome outcome = Outcome::completed;
  Duration recorded_start = kUnknown, recorded_end = kUnknown;  // same clock as submit
  std::vector<std::string> depends_on;
  std::uint64_t line = 0;  // for messages
};

/// Where row 17 went. Every row of a trace ends in exactly one of replayed, skipped, rejected.
struct TraceReport {
  /// Something noticed, with a count and the first few places.
  struct Note {
    std::string code;     // snake_case, stable: "estimate_missing", "out_of_order_submit"
    std::string meaning;  // one sentence, with what was done about it
    std::uint64_t count = 0;
    std::vector<std::uint64_t> lines;  // the first 5
    std::vector<std::string> jobs;     // the first 5, where a job is known
  };
  std::string format, source;
  std::uint64_t rows = 0;      // data rows read
  std::uint64_t replayed = 0;  // rows that became a job
  std::vector<Note> skipped;   // rows left out on purpose, by why (steps, cancelled before start)
  std::vector<Note> rejected;  // rows that can't be read or make no sense; the full messages:
  std::vector<std::string> errors;  // the first 20 rejections, "jobs.csv:9: ..."
  std::vector<Note> warnings;  // rows replayed, but changed or odd (transformed: says how)

  void note(std::vector<Note>& list, std::string_view code, std::string_view meaning,
            std::uint64_t line, std::string_view job = {});
  std::uint64_t total(const std::vector<Note>& list) const;
};

/// Collects rows in any order and makes a Workload: interns names and shapes, makes the first
/// submit the origin (unless told otherwise), sorts stably by submit, resolves dependencies, drops
/// columns that nobody used, and reports duplicates and rows out of order.
class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(TraceReport& report) : report_(report) {}

  void add(const JobRow& row);
  std::size_t size() const { return size_; }

  /// `keep_origin`: times are already relative to the origin wanted (no shift).
  Workload finish(bool keep_origin = false);

 private:
  struct Columns;
  TraceReport& report_;
  std::size_t size_ = 0;
  Workload w_;
  std::vector<Duration> submit_;
  std::vector<std::uint64_t> line_;
  std::map<Shape, ShapeId> shape_ids_;
  std::vector<std::pair<std::uint32_t, std::vector<std::string>>> depends_;
  Duration last_submit_ = Duration::min();
};

}  // namespace muster
