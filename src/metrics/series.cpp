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
  // More than max_rows_ x width_, put so that nothing overflows.
  while ((to - begin_ - Duration{1}) / static_cast<std::int64_t>(max_rows_) >= width_) halve();

  while (end_ < to) {
    const bool full = end_ == begin_ + width_ * static_cast<std::int64_t>(rows_.size());
    if (full) rows_.emplace_back();
    const SimTime until = std::min(to, begin_ + width_ * static_cast<std::int64_t>(rows_.size()));
    const std::int64_t ns = (until - end_).count();
    Row& row = rows_.back();
    row[held] += Int128{levels.allocated_milli} * ns;
    for (std::size_t c = 0; c < kIdleClasses; ++c)
      if (levels.idle_milli[c] != 0) row[idle + c] += Int128{levels.idle_milli[c]} * ns;
    row[wanted] += Int128{levels.wanted_milli} * ns;
    row[running] += Int128{levels.running} * ns;
    row[waiting] += Int128{levels.waiting} * ns;
    if (levels.down_milli != 0) row[down] += Int128{levels.down_milli} * ns;
    if (levels.maintenance_milli != 0) row[maintenance] += Int128{levels.maintenance_milli} * ns;
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
