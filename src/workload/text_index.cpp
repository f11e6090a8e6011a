#include "muster/workload/text_index.hpp"

#include <functional>
#include <utility>

namespace muster {

std::uint32_t TextIndex::hash(std::string_view text) {
  const std::size_t h = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

std::uint32_t TextIndex::find(const TextColumn& column, std::string_view text) const {
  if (slots_.empty()) return kAbsent;
  const std::uint32_t h = hash(text);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = h & mask; slots_[at].row != kAbsent; at = (at + 1) & mask)
    if (slots_[at].hash == h && column[slots_[at].row] == text) return slots_[at].row;
  return kAbsent;
}

void TextIndex::add(const TextColumn& column, std::uint32_t row) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  put({hash(column[row]), row});
  ++used_;
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
