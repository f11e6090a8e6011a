#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "muster/core/check.hpp"

namespace muster {

/// A sorted sequence in blocks of a few hundred entries, each with a summary (a minimum, a sum) by
/// which a search skips whole blocks. Insertion and removal move a fraction of one block, iteration
/// is a walk through arrays, and nothing is allocated once the blocks are warm.
///
/// Entry has operator<, total. Summary is default constructible and has add(const Entry&).
template <class Entry, class Summary>
class BlockList {
 public:
  struct Block {
    std::vector<Entry> items;
    Summary summary;
  };

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Entry& front() const { return blocks_.front().items.front(); }
  const std::vector<Block>& blocks() const { return blocks_; }

  void insert(const Entry& e) {
    ++size_;
    if (blocks_.empty()) {
      blocks_.push_back(fresh());
      blocks_[0].items.push_back(e);
      blocks_[0].summary.add(e);
      return;
    }
    // Most entries come in order, so try the end first.
    std::size_t b = blocks_.size() - 1;
    if (blocks_.size() > 1 && !(blocks_[b - 1].items.back() < e)) b = block_of(e);
    std::vector<Entry>& items = blocks_[b].items;
    if (items.back() < e)
      items.push_back(e);
    else
      items.insert(std::lower_bound(items.begin(), items.end(), e), e);
    blocks_[b].summary.add(e);
    if (items.size() > kMost) split(b);
  }

  /// Removes the entry equal to `e`, which must be there.
  void erase(const Entry& e) {
    const std::size_t b = block_of(e);
    MUSTER_CHECK(b < blocks_.size());
    std::vector<Entry>& items = blocks_[b].items;
    const auto it = std::lower_bound(items.begin(), items.end(), e);
    MUSTER_CHECK(it != items.end() && !(e < *it));
    items.erase(it);
    --size_;
    if (items.empty()) {
      spare_.push_back(std::move(blocks_[b]));
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
    } else {
      sum_up(blocks_[b]);
    }
  }

  void clear() {
    for (Block& b : blocks_) spare_.push_back(std::move(b));
    blocks_.clear();
    size_ = 0;
  }

  /// Visits entries in order until `visit` returns false. The list must not change meanwhile.
  template <class Visit>
  void each(Visit visit) const {
    for (const Block& b : blocks_)
      for (const Entry& e : b.items)
        if (!visit(e)) return;
  }

  /// The entry at `position` (0 = first); position < size().
  const Entry& at(std::size_t position) const {
    std::size_t b = 0;
    while (position >= blocks_[b].items.size()) position -= blocks_[b++].items.size();
    return blocks_[b].items[position];
  }

 private:
  static constexpr std::size_t kMost = 256;

  /// The first block whose last entry is not below `e`.
  std::size_t block_of(const Entry& e) const {
    const auto it = std::lower_bound(blocks_.begin(), blocks_.end(), e,
                                     [](const Block& b, const Entry& x) { return b.items.back() < x; });
    return static_cast<std::size_t>(it - blocks_.begin());
  }
  static void sum_up(Block& b) {
    b.summary = Summary{};
    for (const Entry& e : b.items) b.summary.add(e);
  }
  Block fresh() {
    if (spare_.empty()) return Block{};
    Block b = std::move(spare_.back());
    spare_.pop_back();
    b.items.clear();
    b.summary = Summary{};
    return b;
  }
  void split(std::size_t b) {
    Block right = fresh();
    std::vector<Entry>& left = blocks_[b].items;
    const auto middle = left.begin() + static_cast<std::ptrdiff_t>(left.size() / 2);
    right.items.assign(middle, left.end());
    left.erase(middle, left.end());
    sum_up(blocks_[b]);
    sum_up(right);
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(b) + 1, std::move(right));
  }

  std::vector<Block> blocks_;
  std::vector<Block> spare_;
  std::size_t size_ = 0;
};

}  // namespace muster
