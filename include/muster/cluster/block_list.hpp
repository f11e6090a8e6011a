#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "muster/core/check.hpp"

namespace muster {

/// A sorted sequence in small blocks, each with a summary (a minimum, a sum) by which a search skips
/// it whole. Insertion and removal move a fraction of one block, taking from the front moves
/// nothing, iteration is a walk through arrays, and nothing is allocated once the blocks are warm.
///
/// Entry has operator<, total. Summary is default constructible, has add(const Entry&), and
/// remove(const Entry&) that returns false if the block must be summed up anew.
template <class Entry, class Summary>
class BlockList {
 public:
  class Block {
   public:
    std::span<const Entry> items() const {
      return {items_.data() + begin_, items_.size() - begin_};
    }
    const Summary& summary() const { return summary_; }

   private:
    friend class BlockList;
    std::vector<Entry> items_;
    std::size_t begin_ = 0;  // entries before it were taken from the front
    Summary summary_;
  };

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Entry& front() const { return blocks()[0].items().front(); }
  std::span<const Block> blocks() const {
    return {blocks_.data() + first_, blocks_.size() - first_};
  }

  void insert(const Entry& e) {
    ++size_;
    if (first_ == blocks_.size()) blocks_.push_back(fresh());
    // Most entries come in order, so try the end first.
    std::size_t b = blocks_.size() - 1;
    if (b > first_ && !(blocks_[b - 1].items_.back() < e)) {
      b = block_of(e);
    } else if (blocks_[b].items().size() == kMost && blocks_[b].items_.back() < e) {
      blocks_.push_back(fresh());  // behind a full one: nothing moves
      ++b;
    }
    Block& block = blocks_[b];
    std::vector<Entry>& items = block.items_;
    if (items.size() == block.begin_ || items.back() < e)
      items.push_back(e);
    else if (block.begin_ > 0 && e < items[block.begin_])
      items[--block.begin_] = e;
    else
      items.insert(std::lower_bound(items.begin() + offset(block), items.end(), e), e);
    block.summary_.add(e);
    if (items.size() - block.begin_ > kMost) split(b);
  }

  /// Removes the entry equal to `e`, which must be there.
  void erase(const Entry& e) {
    const std::size_t b = block_of(e);
    MUSTER_CHECK(b < blocks_.size());
    Block& block = blocks_[b];
    std::vector<Entry>& items = block.items_;
    const auto front = items.begin() + offset(block);
    const auto it = *front < e ? std::lower_bound(front + 1, items.end(), e) : front;
    MUSTER_CHECK(it != items.end() && !(e < *it));
    if (it != front) {
      items.erase(it);
    } else if (++block.begin_ == kMost) {  // as many are gone as may be there: close the gap
      items.erase(items.begin(), front + 1);
      block.begin_ = 0;
    }
    --size_;
    if (block.begin_ == items.size())
      drop(b);
    else if (!block.summary_.remove(e))
      sum_up(block);
  }

  void clear() {
    while (first_ < blocks_.size()) drop(blocks_.size() - 1);
    size_ = 0;
  }

  /// Visits entries in order until `visit` returns false. The list must not change meanwhile.
  template <class Visit>
  void each(Visit visit) const {
    for (const Block& b : blocks())
      for (const Entry& e : b.items())
        if (!visit(e)) return;
  }

  /// How many entries are below `e`, whether it is one itself or not.
  std::size_t before(const Entry& e) const {
    std::size_t count = 0;
    for (const Block& b : blocks()) {
      const std::span<const Entry> items = b.items();
      if (!(items.back() < e))
        return count + static_cast<std::size_t>(std::lower_bound(items.begin(), items.end(), e) -
                                                items.begin());
      count += items.size();
    }
    return count;
  }

  /// The entry at `position` (0 = first); position < size().
  const Entry& at(std::size_t position) const {
    std::size_t b = 0;
    while (position >= blocks()[b].items().size()) position -= blocks()[b++].items().size();
    return blocks()[b].items()[position];
  }

 private:
  static constexpr std::size_t kMost = 64;

  static std::ptrdiff_t offset(const Block& b) { return static_cast<std::ptrdiff_t>(b.begin_); }
  std::ptrdiff_t first() const { return static_cast<std::ptrdiff_t>(first_); }

  /// The first block whose last entry is not below `e`.
  std::size_t block_of(const Entry& e) const {
    if (!(blocks_[first_].items_.back() < e)) return first_;
    const auto it =
        std::lower_bound(blocks_.begin() + first(), blocks_.end(), e,
                         [](const Block& b, const Entry& x) { return b.items_.back() < x; });
    return static_cast<std::size_t>(it - blocks_.begin());
  }
  static void sum_up(Block& b) {
    b.summary_ = Summary{};
    for (const Entry& e : b.items()) b.summary_.add(e);
  }
  Block fresh() {
    if (spare_.empty()) return Block{};
    Block b = std::move(spare_.back());
    spare_.pop_back();
    b.items_.clear();
    b.begin_ = 0;
    b.summary_ = Summary{};
    return b;
  }
  void drop(std::size_t b) {
    spare_.push_back(std::move(blocks_[b]));
    if (b != first_) {
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
    } else if (++first_ * 2 > blocks_.size()) {
      blocks_.erase(blocks_.begin(), blocks_.begin() + first());
      first_ = 0;
    }
  }
  void split(std::size_t b) {
    Block right = fresh();
    std::vector<Entry>& left = blocks_[b].items_;
    const auto middle = left.begin() + offset(blocks_[b]) +
                        static_cast<std::ptrdiff_t>((left.size() - blocks_[b].begin_) / 2);
    right.items_.assign(middle, left.end());
    left.erase(middle, left.end());
    sum_up(blocks_[b]);
    sum_up(right);
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(b) + 1, std::move(right));
  }

  std::vector<Block> blocks_;
  std::size_t first_ = 0;  // blocks before it were emptied from the front
  std::vector<Block> spare_;
  std::size_t size_ = 0;
};

}  // namespace muster
