#include "muster/metrics/batches.hpp"

#include <system_error>

namespace muster {

Batches::Batches(Books& books, Bookkeeper bookkeeper) : books_(books) {
  if (bookkeeper == Bookkeeper::same_thread) return;
  try {
    bookkeeper_ = std::thread{[this] { keep_books(); }};
  } catch (const std::system_error&) {
    // As many threads as may be are there already.
  }
}

Batches::~Batches() {
  if (!bookkeeper_.joinable()) return;
  {
    const std::scoped_lock lock{mutex_};
    ends_ = true;
  }
  changed_.notify_all();
  bookkeeper_.join();
}

void Batches::hand_over() {
  if (!now_->empty()) pass_on();
  if (!bookkeeper_.joinable()) return;
  {
    const std::scoped_lock lock{mutex_};
    wanted_ = given_;
  }
  changed_.notify_all();
  wait_until_taken(given_);
}

/// The batch at hand goes to the books, and the next one is ready to be filled.
void Batches::pass_on() {
  if (!bookkeeper_.joinable()) return now_->tell(books_);
  {
    const std::scoped_lock lock{mutex_};
    ++given_;
    if (given_ - taken_ >= kTogether) wanted_ = given_;
  }
  if (wanted_ == given_) changed_.notify_all();
  if (given_ >= batches_.size()) wait_until_taken(given_ + 1 - batches_.size());
  now_ = &batches_[given_ % batches_.size()];
}

void Batches::wait_until_taken(std::uint64_t count) {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return taken_ >= count; });
  if (fault_) std::rethrow_exception(fault_);
}

/// The bookkeeper's thread.
void Batches::keep_books() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || taken_ < wanted_; });
    if (ends_) return;
    Batch& batch = batches_[taken_ % batches_.size()];
    const bool sound = !fault_;
    lock.unlock();
    std::exception_ptr fault;
    try {
      if (sound) batch.tell(books_);
    } catch (...) {
      fault = std::current_exception();
    }
    batch.clear();
    lock.lock();
    if (fault) fault_ = fault;
    ++taken_;
    changed_.notify_all();
  }
}

}  // namespace muster
