#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "muster/ledger/gpu_book.hpp"

namespace muster {

/// How the fleet and the queue developed, in at most `max_rows` rows of equal width. When they are
/// full the width doubles and neighbours are merged, so memory is bounded and no instant is dropped:
/// a cell is an exact integral over its row, and a column adds up to what the ledger says.
class Series {
 public:
  enum Column : std::size_t {
    held,                          // thousandth-GPU nanoseconds, like the idle columns and `wanted`
    idle,                          // the first of kIdleClasses columns, in the order of GpuClass
    wanted = idle + kIdleClasses,  // GPUs demanded by waiting jobs
    running,                       // job nanoseconds
    waiting,                       // job nanoseconds
    down,  // thousandth-GPU nanoseconds again; what nobody holds of such nodes
    maintenance,
    columns
  };
  using Row = std::array<Int128, columns>;

  explicit Series(std::size_t max_rows = 4096, Duration width = std::chrono::seconds{1});

  /// `levels` hold from `from` to `to`. Calls follow each other without a gap; the first one says
  /// where the series begins.
  void add(SimTime from, SimTime to, const GpuBook::Levels& levels);

  std::size_t size() const { return rows_.size(); }
  const Row& row(std::size_t i) const { return rows_[i]; }
  SimTime begin_of(std::size_t i) const { return begin_ + width_ * static_cast<std::int64_t>(i); }
  /// The last row ends where the window does.
  SimTime end_of(std::size_t i) const { return i + 1 == size() ? end_ : begin_of(i + 1); }
  Duration width() const { return width_; }

 private:
  void halve();

  std::size_t max_rows_;
  Duration width_;
  bool begun_ = false;
  SimTime begin_ = kStart, end_ = kStart;
  std::vector<Row> rows_;
};

}  // namespace muster
