#include "muster/workload/text_index.hpp"

#include <functional>
#include <utility>

namespace muster {
namespace {

bool comes_before(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

std::uint32_t TextIndex::hash(std::string_view text) {
  const std::size_t h = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

std::uint32_t TextIndex::find(const TextColumn& column, std::string_view text) const {
  return in_order_ ? find_in_order(column, text) : find_in_table(column, text);
}

std::uint32_t TextIndex::find_in_order(const TextColumn& column, std::string_view text) const {
  if (rows_ == 0 || comes_before(column[rows_ - 1], text)) return kAbsent;
  std::uint32_t first = 0;
  for (std::uint32_t count = rows_; count > 0;) {
    const std::uint32_t half = count / 2;
    const bool behind = comes_before(column[first + half], text);
    first = behind ? first + half + 1 : first;
    count = behind ? count - half - 1 : half;
  }
  return first < rows_ && column[first] == text ? first : kAbsent;
}

std::uint32_t TextIndex::find_in_table(const TextColumn& column, std::string_view text) const {
  const std::uint32_t h = hash(text);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = h & mask; slots_[at].row != kAbsent; at = (at + 1) & mask)
    if (slots_[at].hash == h && column[slots_[at].row] == text) return slots_[at].row;
  return kAbsent;
}

bool TextIndex::add(TextColumn& column, std::string_view text) {
  if (in_order_ && (rows_ == 0 || comes_before(column[rows_ - 1], text))) {
    column.push_back(text);
    ++rows_;
    return true;
  }
  if (find(column, text) != kAbsent) return false;
  column.push_back(text);
  add_last(column);
  return true;
}

void TextIndex::add_last(const TextColumn& column) {
  const std::uint32_t row = rows_++;
  if (in_order_) {
    if (row == 0 || comes_before(column[row - 1], column[row])) return;
    in_order_ = false;
    for (std::uint32_t i = 0; i < row; ++i) {
      if ((std::size_t{i} + 1) * 2 > slots_.size()) grow();
      put({hash(column[i]), i});
    }
  }
  if (std::size_t{rows_} * 2 > slots_.size()) grow();
  put({hash(column[row]), row});
}

void TextIndex::put(Slot slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = slot.hash & mask;
  while (slots_[at].row != kAbsent) at = (at + 1) & mask;
  slots_[at] = slot;
}

void TextIndex::grow() {
  const std::vector<Slot> old = std::exchange(slots_, {});
  slots_.resize(old.empty() ? 64 : old.size() * 2);
  for (const Slot& slot : old)
    if (slot.row != kAbsent) put(slot);
}

}  // namespace muster
