#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "muster/workload/workload.hpp"

namespace muster {

/// Finds a text of a TextColumn by its value: eight bytes per text and no copy of it, where a hash
/// map of strings would double the memory of a trace.
class TextIndex {
 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  /// The row that holds `text`, or kAbsent. `column` is the one all rows were added from.
  std::uint32_t find(const TextColumn& column, std::string_view text) const;

  /// Adds the column's row `row`, whose text must not be in the index yet.
  void add(const TextColumn& column, std::uint32_t row);

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t row = kAbsent;
  };
  static std::uint32_t hash(std::string_view text);
  void put(Slot slot);
  void grow();

  std::vector<Slot> slots_;  // a power of two, never more than half full
  std::size_t used_ = 0;
};

}  // namespace muster
