#pragma once
#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

#include "muster/metrics/batch.hpp"

namespace muster {

/// Who keeps the books of a run: the thread that runs it, or another one beside it.
enum class Bookkeeper : std::uint8_t { same_thread, own_thread };

/// Keeps what a run tells and hands it to the books some hundred calls at a time, in its order. Engine
/// and policy fit into a processor's cache for instructions, and so do the books; taking turns at each
/// record they push each other out of it. With a thread of their own the books follow the run a few
/// batches behind; where none is to be had they are kept on the same one. They are the same books either way.
///
///   Batches batches{books, Bookkeeper::own_thread};
///   const RunSummary run = simulate(..., batches);
///   batches.hand_over();
///   books.close(run);
///
/// Until hand_over() has returned the books, and the sink to which they send their lines, belong to it. What
/// the books throw comes out of the next call here.
class Batches final : public Observer {
 public:
  explicit Batches(Books& books, Bookkeeper bookkeeper = Bookkeeper::same_thread);
  ~Batches() override;
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  void on(const Record& record) override { keep(record); }
  void node(const NodeRecord& record) override { keep(record); }
  void decided(const Decision& decision) override { keep(decision); }

  /// All that is still kept. The books know everything when it returns.
  void hand_over();

 private:
  template <class Told>
  void keep(const Told& told) {
    now_->keep(told);
    if (now_->full()) pass_on();
  }
  void pass_on();
  void keep_books();
  void wait_until_taken(std::uint64_t count);

  Books& books_;
  std::array<Batch, 4> batches_;  // used in turn; by one that runs on the same thread: the first
  Batch* now_ = batches_.data();  // the one that is being filled

  /// To wake a thread costs both as much as some hundred records: it sleeps until so many batches are there.
  static constexpr std::uint64_t kTogether = 2;

  // With a thread of their own. Batches taken_ to given_, by number, are those that it is to tell the books;
  // it is awake for those before wanted_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t given_ = 0, taken_ = 0, wanted_ = 0;
  bool ends_ = false;
  std::exception_ptr fault_;  // what the books threw; they get nothing after it
  std::thread bookkeeper_;
};

}  // namespace muster
