#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "muster/topology/fleet.hpp"

namespace muster {

/// An ordered set of node numbers: one bit each, and one summary bit per 64 of them, so that the
/// next member is found in a few steps in a fleet of any size. Runs are set a word at a time.
class NodeSet {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  NodeSet() = default;
  explicit NodeSet(std::size_t nodes)
      : words_((nodes + 63) / 64), summary_((nodes + 4095) / 4096) {}

  std::uint32_t size() const { return size_; }
  bool contains(std::uint32_t n) const { return (words_[n / 64] >> (n % 64)) & 1; }
  std::uint64_t word(std::size_t w) const { return words_[w]; }

  void insert(std::uint32_t n) {
    words_[n / 64] |= bit(n);
    summary_[n / 4096] |= bit(n / 64);
    ++size_;
  }
  void erase(std::uint32_t n) {
    if ((words_[n / 64] &= ~bit(n)) == 0) summary_[n / 4096] &= ~bit(n / 64);
    --size_;
  }
  /// None of first .. first+count-1 may be a member yet.
  void insert_run(std::uint32_t first, std::uint32_t count) {
    each_word(first, count, [&](std::size_t w, std::uint64_t bits) {
      words_[w] |= bits;
      summary_[w / 64] |= bit(static_cast<std::uint32_t>(w));
    });
    size_ += count;
  }
  /// All of first .. first+count-1 must be members.
  void erase_run(std::uint32_t first, std::uint32_t count) {
    each_word(first, count, [&](std::size_t w, std::uint64_t bits) {
      if ((words_[w] &= ~bits) == 0) summary_[w / 64] &= ~bit(static_cast<std::uint32_t>(w));
    });
    size_ -= count;
  }

  /// The smallest member >= from, or kNone.
  std::uint32_t next(std::uint32_t from) const {
    std::size_t w = from / 64;
    if (w >= words_.size()) return kNone;
    if (const std::uint64_t bits = words_[w] & (~std::uint64_t{0} << (from % 64)); bits != 0)
      return member(w, bits);
    ++w;
    std::size_t s = w / 64;
    if (s >= summary_.size()) return kNone;
    std::uint64_t bits = w % 64 == 0 ? summary_[s] : summary_[s] & (~std::uint64_t{0} << (w % 64));
    while (bits == 0) {
      if (++s == summary_.size()) return kNone;
      bits = summary_[s];
    }
    w = s * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return member(w, words_[w]);
  }
  std::uint32_t first() const { return size_ == 0 ? kNone : next(0); }

  /// How many members follow `n` without a gap, `n` (a member) included, at most `most`.
  std::uint32_t run_length(std::uint32_t n, std::uint32_t most) const {
    std::uint32_t length = 0;
    for (std::uint32_t at = n; length < most;) {
      const std::size_t w = at / 64;
      if (w >= words_.size()) break;
      const std::uint32_t offset = at % 64;
      const auto ones = static_cast<std::uint32_t>(std::countr_one(words_[w] >> offset));
      const std::uint32_t here = ones < 64 - offset ? ones : 64 - offset;
      length += here;
      at += here;
      if (here < 64 - offset) break;
    }
    return length < most ? length : most;
  }

 private:
  static std::uint64_t bit(std::uint32_t n) { return std::uint64_t{1} << (n % 64); }
  static std::uint32_t member(std::size_t w, std::uint64_t bits) {
    return static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  template <class Visit>
  static void each_word(std::uint32_t first, std::uint32_t count, Visit visit) {
    while (count > 0) {
      const std::uint32_t offset = first % 64;
      const std::uint32_t here = count < 64 - offset ? count : 64 - offset;
      const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
      visit(first / 64, ones << offset);
      first += here;
      count -= here;
    }
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;
  std::uint32_t size_ = 0;
};

}  // namespace muster
