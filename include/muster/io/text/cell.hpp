#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "muster/core/time.hpp"

namespace muster {

/// Why a row can't be used. Thrown while a row is read and caught where rows are counted: one bad
/// row costs that row, not the trace.
struct RowError {
  std::string column;
  std::string expected;  // "expected ..." continues the sentence
  std::string got;       // as it stands in the file
  std::string code = "bad_value";
};

/// One field of a row with its column's name, trimmed. An empty one is *not known*.
struct Cell {
  std::string_view column;
  std::string_view text;
  bool empty() const { return text.empty(); }
};

inline constexpr std::int64_t kMostGpus = INT32_MAX;  // that one job may ask for

/// The value of a cell; throws RowError if it is missing, out of range, or not of its kind.
std::int64_t whole(Cell cell, std::int64_t least, std::int64_t most);
std::uint32_t gpu_count(Cell cell);                                    // 0 to kMostGpus
Duration time_in(Cell cell, Duration unit = std::chrono::seconds{1});  // 0 to 100 years
Duration time_span(Cell cell);  // the same, units allowed: "90s", "2h"
float amount(Cell cell);        // a real number, 0 or more

/// The same, or `otherwise` if the cell is empty.
std::int64_t whole_or(Cell cell, std::int64_t least, std::int64_t most, std::int64_t otherwise);
Duration time_in_or(Cell cell, Duration otherwise, Duration unit = std::chrono::seconds{1});
Duration time_span_or(Cell cell, Duration otherwise);
float amount_or(Cell cell, float otherwise);

/// `text` in double quotes for a message: shortened, with what can't be printed as \xNN.
std::string in_quotes(std::string_view text);

}  // namespace muster
