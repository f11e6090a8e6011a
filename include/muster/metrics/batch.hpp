#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/metrics/books.hpp"

namespace muster {

/// What a run tells, kept with all that it refers to, to be told once more in the same order.
class Batch {
 public:
  Batch();

  void keep(const Record& record);
  void keep(const NodeRecord& record);
  void keep(const Decision& decision);

  bool full() const { return count_ == kCalls; }
  bool empty() const { return count_ == 0; }
  /// Tells `books` what was kept, and keeps nothing any more.
  void tell(Books& books);
  /// Forgets what was kept.
  void clear();

 private:
  enum class Call : std::uint8_t { record, node, decision };

  /// What spans refer to, one behind the other; taken out in the order in which it came.
  template <class T>
  class Contents {
   public:
    void keep(std::span<const T> items) {
      for (const T& item : items) items_.push_back(item);
    }
    /// `span` refers to what is kept here, instead of what it referred to when that was kept.
    void take(std::span<const T>& span) {
      if (span.empty()) return;
      span = std::span<const T>{items_}.subspan(taken_, span.size());
      taken_ += span.size();
    }
    void clear() {
      items_.clear();
      taken_ = 0;
    }

   private:
    std::vector<T> items_;
    std::size_t taken_ = 0;
  };

  /// So many records fit into a processor's second cache, beside what the books know.
  static constexpr std::size_t kCalls = 2048;

  std::array<Call, kCalls> calls_;  // the first count_ of them
  std::size_t count_ = 0;
  std::vector<Record> records_;
  std::vector<NodeRecord> nodes_;
  std::vector<Decision> decisions_;
  Contents<Slice> slices_;
  Contents<Record::Worker> workers_;
  Contents<PoolFree> pools_;
  Contents<Decision::ShapeCause> causes_;
};

}  // namespace muster
