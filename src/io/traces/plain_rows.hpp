#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "muster/workload/builder.hpp"

namespace muster {

/// Reads in one go the rows that a long canonical trace mostly consists of: whole numbers of GPUs and
/// seconds, and names without quotes. Any other row is left to those who know all about cells and
/// what can be wrong with them.
class PlainRows {
 public:
  /// With columns other than job, submit, gpus, duration, user and queue no row is plain.
  explicit PlainRows(const std::vector<std::string>& header);

  /// False, and `row` is unspecified, if the row is not plain. An empty job has no id.
  bool read(std::string_view line, PlainRow& row) const;

 private:
  enum class Column : std::uint8_t { job, submit, gpus, duration, user, queue };
  std::vector<Column> columns_;  // empty: no row is plain
};

}  // namespace muster
