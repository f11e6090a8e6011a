#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "muster/workload/workload.hpp"

namespace muster {

/// Finds a text of a TextColumn by its value, without a copy of it: a hash map of strings would
/// double the memory of a trace.
///
/// Most traces number their jobs. While texts come in order (shorter ones first, then by letter)
/// they can be searched where they are and nothing is stored; the first that breaks the order makes
/// this a hash table of eight bytes per text.
class TextIndex {
 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  /// The row that holds `text`, or kAbsent. `column` is the one all rows were added from.
  std::uint32_t find(const TextColumn& column, std::string_view text) const;

  /// Appends `text` to `column` and to the index. False if it is there, and then nothing was added.
  bool add(TextColumn& column, std::string_view text);

  /// Adds the column's last row, whose text must not be in the index yet.
  void add_last(const TextColumn& column);

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t row = kAbsent;
  };
  static std::uint32_t hash(std::string_view text);
  std::uint32_t find_in_order(const TextColumn& column, std::string_view text) const;
  std::uint32_t find_in_table(const TextColumn& column, std::string_view text) const;
  void put(Slot slot);
  void grow();

  bool in_order_ = true;
  std::uint32_t rows_ = 0;
  std::vector<Slot> slots_;  // a power of two, never more than half full
};

}  // namespace muster
