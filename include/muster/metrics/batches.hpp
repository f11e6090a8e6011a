#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/metrics/books.hpp"

namespace muster {

/// Keeps what a run tells and hands it to the books some hundred calls at a time, in its order. Engine
/// and policy fit into a processor's cache for instructions, and so do the books; taking turns at each
/// record they push each other out of it.
///
///   Batches batches{books};
///   const RunSummary run = simulate(..., batches);
///   batches.hand_over();
///   books.close(run);
class Batches final : public Observer {
 public:
  explicit Batches(Books& books);

  void on(const Record& record) override;
  void node(const NodeRecord& record) override;
  void decided(const Decision& decision) override;

  /// All that is still kept.
  void hand_over();

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
  static constexpr std::size_t kCalls = 512;

  void told(Call call) {
    calls_[count_++] = call;
    if (count_ == kCalls) hand_over();
  }

  Books& books_;
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
