#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "muster/core/int128.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Dominant resource fairness (Ghodsi et al., NSDI'11, section 4.1, algorithm 1): after each start,
/// whoever has the smallest dominant share goes next. The resources are the fleet's GPU types (its
/// pools); the dominant share of a user is the largest, over them, of what its running jobs hold of a
/// type over what the fleet has of it. On one GPU type this is max-min fairness of what is held now,
/// and unlike fair_share forgets what was used before.
///
/// Keys are the dominant shares, and each start changes one of them. Shared by queue (share_by=queue), it is kept once
/// for all jobs of a shape, and none of them is touched; by user or group the queue is sorted anew, O(n log n).
class DrfOrder final : public Order {
 public:
  explicit DrfOrder(const OrderOptions& o) : options_(o) {}

  void begin(const View& view, std::uint64_t) override {
    for (const Fleet::Pool& pool : view.fleet.pools)
      capacity_.push_back(std::int64_t{pool.gpus} * 1000);
  }

  bool takes(Shared) const override { return false; }
  std::int64_t key(const View& view, JobId job) override {
    const auto [it, fresh] = users_.try_emplace(sharer_of(view.jobs, job, options_));
    if (fresh) it->second.held.resize(capacity_.size());
    return it->second.key;
  }

  bool refresh(const View&) override {
    if (!changed_) return false;
    changed_ = false;
    bool moved = false;
    for (auto& [who, user] : users_) {
      const std::int64_t key = share(user.held[user.dominant], user.dominant);
      moved |= key != user.key;
      user.key = key;
    }
    return moved;
  }
  bool refresh_after_start() const override { return true; }
  bool by_queue() const override { return options_.share_by == OrderOptions::ShareBy::queue; }

  void started(const View& view, const RunningJob& r) override {
    std::vector<std::int64_t> held(capacity_.size());
    for (std::size_t p = 0; p < held.size(); ++p) held[p] = held_milli(view, r, PoolMask{1} << p);
    shift(view, r.job, held, +1);
    if (r.pool == RunningJob::kSeveral) spread_[r.job] = std::move(held);
  }
  void stopped(const View& view, const RunningJob& r) override {
    std::vector<std::int64_t> held(capacity_.size());
    if (r.pool != RunningJob::kSeveral) {
      held[r.pool] = r.milli;
    } else {
      held = std::move(spread_.at(r.job));  // its placement is gone by now
      spread_.erase(r.job);
    }
    shift(view, r.job, held, -1);
  }

  std::string standing(const View& view, JobId job) override {
    const NameId who = sharer_of(view.jobs, job, options_);
    const std::string name{view.jobs.names()[who]};
    const auto user = users_.find(who);
    const std::size_t p = user == users_.end() ? 0 : user->second.dominant;
    const std::int64_t held = user == users_.end() ? 0 : user->second.held[p];
    return (name.empty() ? "unknown" : name) + " holds " + to_decimal(held, 3) + " of " +
           to_decimal(capacity_[p], 3) + " GPUs" +
           (capacity_.size() > 1 ? " of type " + view.fleet.pools[p].gpu_type : "");
  }

 private:
  struct User {
    std::vector<std::int64_t> held;  // by pool, thousandths of a GPU
    std::size_t dominant = 0;        // the pool of which it holds the largest share
    std::int64_t key = 0;            // its dominant share when that was last looked at
  };

  /// Whether a / capacity(p) < b / capacity(q), exactly.
  bool smaller(std::int64_t a, std::size_t p, std::int64_t b, std::size_t q) const {
    return Int128{a} * capacity_[q] < Int128{b} * capacity_[p];
  }
  /// What a share is of 2^62, rounded down: shares of fleets of up to a million GPUs are told apart by that.
  std::int64_t share(std::int64_t held, std::size_t p) const {
    return static_cast<std::int64_t>((Int128{held} << 62) / capacity_[p]);
  }

  void shift(const View& view, JobId job, const std::vector<std::int64_t>& held, int sign) {
    User& user = users_.at(sharer_of(view.jobs, job, options_));
    for (std::size_t p = 0; p < held.size(); ++p) user.held[p] += sign * held[p];
    user.dominant = 0;
    for (std::size_t p = 1; p < held.size(); ++p)
      if (smaller(user.held[user.dominant], user.dominant, user.held[p], p)) user.dominant = p;
    changed_ = true;
  }

  OrderOptions options_;
  std::vector<std::int64_t> capacity_;
  std::map<NameId, User> users_;
  std::map<JobId, std::vector<std::int64_t>> spread_;  // running gangs on several types
  bool changed_ = false;
};

const Orders::Add<DrfOrder> registered{
    "drf",
    "dominant resource fairness: least dominant share of the GPU types goes next (share_by)"};

}  // namespace
}  // namespace muster
