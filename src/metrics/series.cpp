#include "muster/metrics/series.hpp"

#include <algorithm>

#include "muster/core/check.hpp"

namespace muster {

Series::Series(std::size_t max_rows, Duration width) : max_rows_(max_rows), width_(width) {
  MUSTER_CHECK(max_rows >= 2 && width > Duration{});
}

void Series::add(SimTime from, SimTime to, const GpuBook::Levels& levels) {
  if (!begun_) {
    begun_ = true;
    begin_ = end_ = from;
  }
  MUSTER_CHECK(from == end_ && to >= from);
  const auto rows_end = [&] { return begin_ + width_ * static_cast<std::int64_t>(rows_.size()); };
  // More than max_rows_ x width_, put so that nothing overflows. Mostly the row at hand has room.
  if (to > rows_end())
    while ((to - begin_ - Duration{1}) / static_cast<std::int64_t>(max_rows_) >= width_) halve();

  while (end_ < to) {
    if (end_ == rows_end()) rows_.emplace_back();
    const SimTime until = std::min(to, rows_end());
    const std::int64_t ns = (until - end_).count();
    Row& row = rows_.back();
    const auto enter = [&](std::size_t column, std::int64_t level) {
      if (level != 0) row[column] += Int128{level} * ns;
    };
    enter(held, levels.allocated_milli);
    for (std::size_t c = 0; c < kIdleClasses; ++c) enter(idle + c, levels.idle_milli[c]);
    enter(wanted, levels.wanted_milli);
    enter(running, levels.running);
    enter(waiting, levels.waiting);
    enter(down, levels.down_milli);
    enter(maintenance, levels.maintenance_milli);
    end_ = until;
  }
}

/// Half as many rows, twice as wide.
void Series::halve() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (i % 2 == 0) {
      rows_[i / 2] = rows_[i];
    } else {
      for (std::size_t c = 0; c < columns; ++c) rows_[i / 2][c] += rows_[i][c];
    }
  }
  rows_.resize((rows_.size() + 1) / 2);
  width_ *= 2;
}

}  // namespace muster
