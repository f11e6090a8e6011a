#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "muster/workload/text_index.hpp"
#include "muster/workload/workload.hpp"

namespace muster {

/// One row as a reader understood it, all optional fields at "not known". Readers and generators
/// fill one of these per job and hand it to WorkloadBuilder.
struct JobRow {
  std::string_view job;  // the trace's id; empty = numbered by the builder
  Duration submit{};  // since whatever the trace counts from; may be negative or an absolute epoch
  Duration duration{};
  Shape shape;
  std::string_view types;        // -> shape.types
  std::string_view tasks;        // -> shape.tasks
  std::string_view reservation;  // -> shape.reservation
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
  std::vector<SizeRequest> size_requests;
  std::vector<Duration> failed_attempts;
  std::uint64_t line = 0;  // for messages
};

/// A row that has nothing but this.
struct PlainRow {
  std::string_view job;  // not empty
  std::string_view user, queue;
  Duration submit{}, duration{};
  std::uint32_t gpus = 1;
  std::uint64_t line = 0;
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
    std::vector<std::string> values;   // the first 5, where a value says more: "-10 s"
  };
  std::string format, source;
  std::uint64_t rows = 0;      // data rows read
  std::uint64_t replayed = 0;  // rows that became a job
  std::vector<Note> skipped;   // rows left out on purpose, by why (steps, cancelled before start)
  std::vector<Note> rejected;  // rows that can't be read or make no sense; the full messages:
  std::vector<std::string> errors;  // the first 20 rejections, "jobs.csv:9: ..."
  std::vector<Note> warnings;       // rows replayed, but changed or odd (transformed: says how)
  /// What the trace says about its own machine ("max_procs": "128"), and what a reader assumed
  /// ("time_zone": "Asia/Shanghai").
  std::map<std::string, std::string> facts;
  Duration origin{};  // subtracted from every time of the trace; zero if its clock was kept

  void note(std::vector<Note>& list, std::string_view code, std::string_view meaning,
            std::uint64_t line, std::string_view job = {}, std::string_view value = {});
  std::uint64_t total(const std::vector<Note>& list) const;
};

/// Collects rows in any order and makes a Workload: interns names and shapes, makes the first
/// submit the origin (unless told otherwise), sorts stably by submit, resolves dependencies, drops
/// columns that nobody used, and reports duplicates and rows out of order.
///
/// Warns, by these codes: estimate_not_positive, out_of_order_submit, recorded_start_before_submit,
/// duplicate_job, dependency_left_out. (A missing estimate is for the reader to report: most
/// formats have none.)
class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(TraceReport& report) : report_(report) {}

  /// Adds a job. An id that came before gets a number appended; or, if that was refused, nothing is
  /// added and the line of the job that has the id is returned (else 0).
  std::uint64_t add(const JobRow& row);
  /// The same for a row of a trace whose other rows have nothing else either. False: an earlier job has
  /// its id, and nothing was added.
  bool add_plain(const PlainRow& row);
  void refuse_duplicates() { refuse_duplicates_ = true; }
  std::size_t size() const { return size_; }
  void reserve(std::size_t jobs);

  /// The earliest submit so far; zero if there is no job.
  Duration first_submit() const { return size_ == 0 ? Duration{} : first_submit_; }

  /// The instant the rows' times count from, as Unix time in ns.
  void counts_from(std::int64_t unix_ns) { clock_unix_ns_ = unix_ns; }
  /// Replaces the outcome of every job: for logs whose status column says nothing.
  void replace_outcomes(Outcome outcome);

  /// A row of the table of throughputs. Once all jobs are there, so that jobs' names come first.
  void throughput(std::string_view model, std::string_view type, std::uint32_t gpus,
                  double steps_per_s, std::uint32_t nodes = 0);
  /// On which type the durations hold. False: the table has no such type.
  bool reference_type(std::string_view type);

  /// `keep_origin`: times are already relative to the origin wanted (no shift).
  Workload finish(bool keep_origin = false);

 private:
  std::string_view numbered_id();
  std::string_view renamed_id(const JobRow& row, std::uint32_t first);
  ShapeId intern(const Shape& shape);
  ShapeId plain_shape(std::uint32_t gpus);
  void note_order(Duration submit, std::uint64_t line, std::string_view id);
  void add_id(std::string_view id, std::uint64_t line);
  void add_place(std::uint64_t line);
  NameId intern(std::string_view text, NameId& last);
  void add_requested(const JobRow& row);
  void add_truth(const JobRow& row);
  void warn_about(const JobRow& row, std::string_view id);
  template <class T>
  void rare(IdVector<JobId, T>& column, T value, T otherwise);

  void shift_by(Duration origin);
  std::vector<std::uint32_t> sorted_order() const;
  void reorder(const std::vector<std::uint32_t>& order);
  void resolve_dependencies();
  void check_dependencies_end() const;
  [[noreturn]] void unknown_dependency(std::uint32_t row, const std::string& text) const;

  struct ShapeHash {
    std::size_t operator()(const Shape& shape) const;
  };

  TraceReport& report_;
  std::size_t size_ = 0;
  Workload w_;
  TextIndex index_;
  std::vector<std::uint32_t> line_;  // by row, like everything until reorder()
  std::unordered_map<Shape, ShapeId, ShapeHash> shape_ids_;  // looked up, never iterated
  ShapeId last_shape_{};
  std::vector<ShapeId> plain_shapes_;  // of so many GPUs anywhere, as far as such were asked for
  NameId last_user_{}, last_queue_{}, last_group_{}, last_project_{}, last_model_{}, last_kind_{};
  NameId last_types_{}, last_tasks_{}, last_reservation_{};
  std::unordered_map<std::uint32_t, std::uint32_t> copies_;  // of ids that came more than once
  std::vector<std::pair<std::uint32_t, std::vector<std::string>>> depends_;
  Duration last_submit_ = Duration::min(), first_submit_ = Duration::max();
  std::int64_t clock_unix_ns_ = INT64_MIN;
  bool sorted_ = true, refuse_duplicates_ = false;
  bool rare_ = false;    // some rare column is in use
  std::string made_up_;  // backs the ids that are not the trace's
};

}  // namespace muster
