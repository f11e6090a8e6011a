// Jobs of one size, served by turn: who starts and who has to go, without a look at those that stay.

#include <algorithm>
#include <limits>

#include "core.hpp"

namespace muster::elastic {
namespace {

/// Serves those that run, who ends soonest first, beside `let_in` thousandths of GPUs of others. Blocks of them for whom there is
/// room for sure are passed by whole.
class Runners {
 public:
  explicit Runners(const View& view)
      : view_(view), blocks_(view.running.blocks()), all_(std::int64_t{view.fleet.gpus} * 1000) {}

  /// Serves all of whose work less than `length` is left. False: two turns are the same, and who is first is
  /// not known here.
  bool serve(double length, std::int64_t let_in) {
    for (; block_ < blocks_.size(); ++block_, item_ = 0) {
      const auto items = blocks_[block_].items();
      const std::int64_t milli = blocks_[block_].summary().milli;
      if (item_ == 0 && served_ + let_in + milli <= all_ && left(items.back()) < length) {
        served_ += milli;
        continue;
      }
      for (; item_ < items.size(); ++item_) {
        const double here = left(items[item_]);
        if (here >= length) return true;
        if (served_ + let_in + items[item_].milli <= all_)
          served_ += items[item_].milli;
        else if (!alone(here))
          return false;
        else
          refused_.push_back(items[item_]);
      }
    }
    return true;
  }

  std::int64_t served() const { return served_; }
  /// Of those who come next: what all hold of whose work just `length` is left.
  std::int64_t tied(double length) const {
    std::int64_t sum = 0;
    std::size_t item = item_;
    for (std::size_t b = block_; b < blocks_.size(); ++b, item = 0)
      for (const auto items = blocks_[b].items(); item < items.size(); ++item) {
        if (left(items[item]) != length) return sum;
        sum += items[item].milli;
      }
    return sum;
  }
  std::span<const RunningJob> refused() const { return refused_; }

 private:
  double left(const RunningJob& r) const { return seconds(left_of(r, view_.now)); }

  /// Whether nobody else that runs has its turn with the present one.
  bool alone(double here) const {
    const auto items = blocks_[block_].items();
    if (item_ > 0 ? left(items[item_ - 1]) == here
                  : block_ > 0 && left(blocks_[block_ - 1].items().back()) == here)
      return false;
    if (item_ + 1 < items.size()) return left(items[item_ + 1]) != here;
    return block_ + 1 == blocks_.size() || left(blocks_[block_ + 1].items().front()) != here;
  }

  const View& view_;
  std::span<const RunningJobs::List::Block> blocks_;
  std::int64_t all_;
  std::size_t block_ = 0, item_ = 0;
  std::int64_t served_ = 0;
  std::vector<RunningJob> refused_;
};

}  // namespace

/// Fills shown_ with those that start and those that have to go. False: not all jobs are simple enough for that.
bool Core::serve_by_turn(const View& view) {
  if (!hides_ || !rule_->serves_by_turn() || room_.has_caps() || params_.cooldown > Duration{} ||
      elastic_in_the_system_ > 0 || odd_in_the_system_ > 0 || view.now < all_work_from_ ||
      !leaving_jobs_.empty() || !blocked_.empty())
    return false;
  shown_.clear();
  next_.clear();
  for (const auto& [kind, turns] : turns_) next_.push_back({turns.begin(), turns.end()});
  const auto behind = [](const NextTurn& a, const NextTurn& b) { return *b.at < *a.at; };
  std::make_heap(next_.begin(), next_.end(), behind);
  const std::int64_t all = std::int64_t{view.fleet.gpus} * 1000;
  std::int64_t let_in = 0;
  Runners runners(view);
  while (!next_.empty()) {
    std::pop_heap(next_.begin(), next_.end(), behind);
    NextTurn& next = next_.back();
    const JobId j = next.at->second.second;
    const double length = seconds(view.jobs.planned(j));
    if (!runners.serve(length, let_in)) return false;
    const std::int64_t needs = view.demands[view.jobs.shape(j)].total_milli();
    const std::int64_t room = all - runners.served() - let_in;
    if (needs > room) {
      next_.pop_back();  // those that are alike don't get in either
      continue;
    }
    if (needs + runners.tied(length) > room) return false;  // it may or may not be first of these
    shown_.push_back(next.at->second);
    let_in += needs;
    if (++next.at == next.end)
      next_.pop_back();
    else
      std::push_heap(next_.begin(), next_.end(), behind);
  }
  if (!runners.serve(std::numeric_limits<double>::infinity(), let_in)) return false;
  for (const RunningJob& r : runners.refused()) {
    members_[r.job].entry = r;
    shown_.push_back(key(view, r.job));
    held_by_shown_ += r.milli;
  }
  return true;
}

}  // namespace muster::elastic
