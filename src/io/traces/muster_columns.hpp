#pragma once
#include <span>
#include <string_view>

#include "muster/io/text/cell.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {

/// One row of the canonical CSV while it is being read: what only several columns together say.
struct MusterRow {
  explicit MusterRow(TraceInput& input) : in(input) {}

  TraceInput& in;
  JobRow* row = nullptr;
  bool has_gpus = false, has_duration = false;
  std::int64_t gpus_per_node = 0;
  std::uint64_t task_gpus = 0;  // sum of the column tasks
  std::string_view batch_size, plan;
  std::string checked;        // the last plan, behind its GPUs
  std::string model;          // "model (batch size n)", "model:plan"
  bool range_in_one = false;  // min_gpus and max_gpus come from the column allowed_gpus
  /// Whether the trace's submit times are dates; the first row decides.
  bool dates = false, dates_known = false;

  void begin(JobRow& job);
  /// What needs several columns; throws RowError if they contradict each other.
  void finish();
  /// From now on, if not before, submit times are numbers. False: they are dates.
  bool counts() {
    dates_known = true;
    return !dates;
  }
  /// A point in time of the trace's clock; before its zero only if `may_be_negative`.
  Duration instant(Cell cell, bool may_be_negative = false);

 private:
  void settle_gpus();
  void settle_plan();
  void check_range();
  void note_rigid();
  void settle_nodes();
};

struct MusterColumn {
  using Set = void (*)(MusterRow&, Cell);
  std::string_view name;
  Set set;  // reads one cell, which may be empty
};

/// Every column of the format, in the order in which the writer writes them.
std::span<const MusterColumn> muster_columns();

}  // namespace muster
